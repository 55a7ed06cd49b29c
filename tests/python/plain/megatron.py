"""A transformer of plain tensors on dp x tp with hand-written collectives, as in Megatron-LM: column and row parallel
layers, a vocabulary parallel embedding and loss, and with --sp sequence parallelism. Activations are [sequence, batch,
hidden]."""
import sys
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
TP = 2
DP = world // TP
tp_groups = [dist.new_group([d * TP + t for t in range(TP)], group_desc="tp") for d in range(DP)]
dp_groups = [dist.new_group([d * TP + t for d in range(DP)], group_desc="dp") for t in range(TP)]
tp, dp = tp_groups[rank // TP], dp_groups[rank % TP]
tp_rank, dp_rank = rank % TP, rank // TP
SEQ, BATCH, HIDDEN, HEADS, VOCAB = 8, 2, 16, 4, 32
SEQUENCE_PARALLEL = "--sp" in sys.argv


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g, group=tp)
        return g


class Reduce(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x, group=tp)
        return x

    @staticmethod
    def backward(ctx, g):
        return g


def gather_rows(x):
    whole = torch.empty(x.shape[0] * TP, *x.shape[1:], dtype=x.dtype)
    dist.all_gather_into_tensor(whole, x.contiguous(), group=tp)
    return whole


def scatter_sum(x):
    part = torch.empty(x.shape[0] // TP, *x.shape[1:], dtype=x.dtype)
    dist.reduce_scatter_tensor(part, x.contiguous(), group=tp)
    return part


class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return gather_rows(x)

    @staticmethod
    def backward(ctx, g):
        return scatter_sum(g)


class ReduceScatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return scatter_sum(x)

    @staticmethod
    def backward(ctx, g):
        return gather_rows(g)


def enter(x):
    return Gather.apply(x) if SEQUENCE_PARALLEL else Copy.apply(x)


def leave(x):
    return ReduceScatter.apply(x) if SEQUENCE_PARALLEL else Reduce.apply(x)


def weight(*shape):
    return nn.Parameter(torch.randn(*shape) * 0.1)


class ColumnParallel(nn.Module):
    def __init__(self, size, out):
        super().__init__()
        torch.manual_seed(100 + tp_rank)
        self.weight, self.bias = weight(out // TP, size), weight(out // TP)

    def forward(self, x):
        return F.linear(x, self.weight, self.bias)


class RowParallel(nn.Module):
    def __init__(self, size, out):
        super().__init__()
        torch.manual_seed(200 + tp_rank)
        self.weight = weight(out, size // TP)
        torch.manual_seed(7)
        self.bias = weight(out)

    def forward(self, x):
        return leave(F.linear(x, self.weight)) + self.bias


class VocabEmbedding(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(300 + tp_rank)
        self.weight = weight(VOCAB // TP, HIDDEN)

    def forward(self, ids):
        start = tp_rank * VOCAB // TP
        outside = (ids < start) | (ids >= start + VOCAB // TP)
        local = ids.clone() - start
        local[outside] = 0
        found = F.embedding(local, self.weight)
        found[outside, :] = 0.0
        return leave(found)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = ColumnParallel(HIDDEN, 3 * HIDDEN)
        self.out = RowParallel(HIDDEN, HIDDEN)

    def forward(self, x):
        x = enter(x)
        s, b, _ = x.shape
        q, k, v = self.qkv(x).view(s, b, HEADS // TP, 3 * HIDDEN // HEADS).chunk(3, dim=-1)
        q, k, v = (t.permute(1, 2, 0, 3).reshape(b * HEADS // TP, s, -1) for t in (q, k, v))
        scores = torch.bmm(q, k.transpose(1, 2)) / 2.0
        mask = torch.triu(torch.ones(s, s, dtype=torch.bool), 1)
        scores = scores.masked_fill(mask, -1e4)
        y = torch.bmm(F.softmax(scores, dim=-1), v)
        y = y.view(b, HEADS // TP, s, -1).permute(2, 0, 1, 3).reshape(s, b, HIDDEN // TP)
        return self.out(y)


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = ColumnParallel(HIDDEN, 4 * HIDDEN)
        self.down = RowParallel(4 * HIDDEN, HIDDEN)

    def forward(self, x):
        return self.down(F.gelu(self.up(enter(x))))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(HIDDEN), Attention()
        self.norm2, self.mlp = nn.LayerNorm(HIDDEN), Mlp()

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = VocabEmbedding()
        self.layers = nn.ModuleList(Layer() for _ in range(2))
        self.norm = nn.LayerNorm(HIDDEN)
        self.head = ColumnParallel(HIDDEN, VOCAB)

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(enter(self.norm(x)))


# Cross entropy over a vocabulary sharded along tp.
class VocabLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, targets):
        most = logits.max(dim=-1).values
        dist.all_reduce(most, op=dist.ReduceOp.MAX, group=tp)
        exp = (logits - most.unsqueeze(-1)).exp()
        total = exp.sum(-1)
        dist.all_reduce(total, group=tp)
        start = tp_rank * VOCAB // TP
        outside = (targets < start) | (targets >= start + VOCAB // TP)
        local = (targets - start).masked_fill(outside, 0)
        picked = logits.gather(-1, local.unsqueeze(-1)).squeeze(-1) - most
        picked = picked.masked_fill(outside, 0.0)
        dist.all_reduce(picked, group=tp)
        ctx.save_for_backward(exp / total.unsqueeze(-1), local, outside)
        return (total.log() - picked).mean()

    @staticmethod
    def backward(ctx, g):
        softmax, local, outside = ctx.saved_tensors
        grad = softmax.clone()
        grad.scatter_add_(-1, local.unsqueeze(-1), -(~outside).float().unsqueeze(-1))
        return grad * (g / local.numel()), None


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
torch.manual_seed(1000 + dp_rank)
for step in range(3):
    ids = torch.randint(0, VOCAB, (SEQ, BATCH))
    loss = VocabLoss.apply(model(ids), ids.roll(1, 0))
    loss.backward()
    for name, parameter in model.named_parameters():
        if SEQUENCE_PARALLEL and ("norm" in name or name.endswith(("out.bias", "down.bias"))):
            dist.all_reduce(parameter.grad, group=tp)
        dist.all_reduce(parameter.grad, group=dp)
        parameter.grad /= DP
    optimizer.step()
    optimizer.zero_grad()
dist.destroy_process_group()
