"""crowd-kit on the same labels: python crowd_kit.py METHOD labels.bin gold.bin ITERATIONS"""
import json
import resource
import sys

import numpy as np
import pandas as pd
from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def high_water():
    """The most memory this process had, in MB; ru_maxrss is inherited from the process that started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def main():
    name, labels, gold, iterations = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    raw = np.fromfile(labels, dtype=np.int32)
    N = raw[0]
    data = pd.DataFrame({"task": raw[3 : 3 + N], "worker": raw[3 + N : 3 + 2 * N], "label": raw[3 + 2 * N :]})
    truth = np.fromfile(gold, dtype=np.int32)
    model = {
        "majority-vote": lambda: MajorityVote(),
        "dawid-skene": lambda: DawidSkene(n_iter=iterations, tol=1e-6),
        "glad": lambda: GLAD(n_iter=iterations, silent=True),
        "mace": lambda: MACE(n_restarts=10, n_iter=iterations),
    }[name]()
    start = cpu()
    answers = model.fit_predict(data)
    seconds = cpu() - start
    peak = high_water()
    accuracy = float((answers.sort_index().to_numpy() == truth[answers.sort_index().index.to_numpy()]).mean())
    print(json.dumps({"cpu": seconds, "accuracy": accuracy, "peakMb": peak}))


main()
