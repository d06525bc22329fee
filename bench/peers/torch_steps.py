"""Training steps in PyTorch: python torch_steps.py NETWORK THREADS SECONDS. Prints JSON."""
import json
import sys
import time

import torch
from torch import nn

name, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
torch.set_num_threads(threads)
torch.manual_seed(1)


def mlp(inputs, classes):
    return nn.Sequential(nn.Linear(inputs, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, classes))


def cnn4(classes):
    # The largest of a window before the ReLU, as ours: the same numbers and less work.
    layers, channels = [], 3
    for i, filters in enumerate([32, 32, 64, 64]):
        layers += [nn.Conv2d(channels, filters, 3)]
        layers += [nn.BatchNorm2d(filters)] if i == 0 else []
        layers += [nn.MaxPool2d(2), nn.ReLU()]
        channels = filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, classes))


networks = {
    "8192-128-8": (lambda: mlp(8192, 8), (8192,), 8, 64),
    "124-128-10": (lambda: mlp(124, 10), (124,), 10, 64),
    "cnn4": (lambda: cnn4(2), (3, 64, 64), 2, 16),
}
build, shape, classes, batch = networks[name]
net = build()
net.train()
optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.rand(batch, *shape) - 0.5
target = torch.zeros(batch, classes)
target[:, 0] = 1


def step():
    optimiser.zero_grad()
    loss = -(target * torch.log_softmax(net(x), 1)).sum(1).mean()
    loss.backward()
    optimiser.step()
    return loss.item()


for _ in range(10):
    step()
steps, start = 0, time.perf_counter()
while time.perf_counter() - start < seconds:
    for _ in range(5):
        step()
    steps += 5
print(json.dumps({"ms": 1000 * (time.perf_counter() - start) / steps, "version": torch.__version__}))
