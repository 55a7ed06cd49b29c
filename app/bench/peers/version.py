"""Reports the version of torch, or why it is missing."""
from lines import serve

serve(None)
