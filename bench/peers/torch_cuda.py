"""Training steps of PyTorch on CUDA, eager: python torch_cuda.py MODEL SHAPE BATCH ROUNDS SECONDS. Prints JSON.

The features are on the card, batches are picked there, and nothing waits for a step to end: losses are read every 32 steps.
"""
import json
import sys
import time

import torch
from torch import nn

model, shape = sys.argv[1], [int(n) for n in sys.argv[2].split(",")]
batch, rounds, seconds = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
CLASSES, ROWS, AT_ONCE = 8, 1280, 32
torch.manual_seed(1)


def cnn4():
    layers, channels = [], 3
    for i, filters in enumerate([32, 32, 64, 64]):
        layers += [nn.Conv2d(channels, filters, 3)]
        layers += [nn.BatchNorm2d(filters)] if i == 0 else []
        layers += [nn.MaxPool2d(2), nn.ReLU()]
        channels = filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, CLASSES))


def vgg_small():
    layers, channels = [], 3
    for filters in [32, 64, 128]:
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.BatchNorm2d(filters), nn.ReLU()]
        layers += [nn.Conv2d(filters, filters, 3, padding=1), nn.BatchNorm2d(filters), nn.MaxPool2d(2), nn.ReLU()]
        channels = filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(128 * (shape[1] // 8) * (shape[2] // 8), 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, CLASSES))


class Block(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(channels, filters, 3, stride, 1), nn.BatchNorm2d(filters), nn.ReLU(),
            nn.Conv2d(filters, filters, 3, 1, 1), nn.BatchNorm2d(filters),
        )
        widens = channels != filters
        self.shortcut = nn.Sequential(nn.Conv2d(channels, filters, 1, stride), nn.BatchNorm2d(filters)) if widens else nn.Identity()

    def forward(self, x):
        return torch.relu(self.shortcut(x) + self.inner(x))


def resnet_small():
    layers, channels = [nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()], 16
    for filters, stride in [(16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1)]:
        layers += [Block(channels, filters, stride)]
        channels = filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, CLASSES))


def mlp():
    return nn.Sequential(nn.Linear(shape[0], 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, CLASSES))


net = {"mlp": mlp, "cnn4": cnn4, "vgg-small": vgg_small, "resnet-small": resnet_small}[model]().cuda()
net.train()
optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
x = (torch.rand(ROWS, *shape) - 0.5).cuda()
target = nn.functional.one_hot(torch.arange(ROWS) % CLASSES, CLASSES).float().cuda()


def steps(count):
    total = torch.zeros((), device="cuda")
    for _ in range(count):
        which = torch.randint(ROWS, (batch,), device="cuda")
        optimiser.zero_grad()
        loss = -(target[which] * torch.log_softmax(net(x[which]), 1)).sum(1).mean()
        loss.backward()
        optimiser.step()
        total += loss.detach()
    return total.item()


steps(2 * AT_ONCE)
found = []
for _ in range(rounds):
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        steps(AT_ONCE)
        done += AT_ONCE
    found.append(1000 * (time.perf_counter() - start) / done)
print(json.dumps({"ms": found, "version": torch.__version__, "card": torch.cuda.get_device_name()}))
