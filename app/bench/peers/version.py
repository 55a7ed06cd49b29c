"""Says which torch there is, or why there is none."""
from lines import serve

serve(None)
