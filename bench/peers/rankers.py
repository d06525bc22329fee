"""Bradley-Terry by choix and evalica: python rankers.py choix|evalica comparisons.bin ALPHA

The file holds N and the number of items, then winners, losers and whether each comparison was a tie, as int32.
Prints the scores, centred, and the seconds of the fit."""
import json
import sys
import time

import numpy as np


def main():
    peer, path, alpha = sys.argv[1], sys.argv[2], float(sys.argv[3])
    raw = np.fromfile(path, dtype=np.int32)
    N, n = int(raw[0]), int(raw[1])
    first, second, tied = raw[2 : 2 + N], raw[2 + N : 2 + 2 * N], raw[2 + 2 * N : 2 + 3 * N]
    if peer == "choix":
        import choix

        kept = tied == 0
        pairs = list(zip(first[kept].tolist(), second[kept].tolist()))
        start = time.perf_counter()
        score = choix.opt_pairwise(n, pairs, alpha=alpha, tol=1e-12)
        seconds = time.perf_counter() - start
    else:
        import evalica

        names = [str(i) for i in range(n)]
        xs, ys = [names[i] for i in first], [names[i] for i in second]
        winners = [evalica.Winner.Draw if t else evalica.Winner.X for t in tied]
        start = time.perf_counter()
        result = evalica.bradley_terry(xs, ys, winners, tolerance=1e-13, limit=100_000)
        seconds = time.perf_counter() - start
        score = np.log(result.scores.reindex(names).to_numpy())
    print(json.dumps({"score": (score - score.mean()).tolist(), "seconds": seconds}))


main()
