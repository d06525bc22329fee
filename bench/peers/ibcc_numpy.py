"""Variational iBCC with numpy and scipy.sparse: the fast Python rival. Same model, priors and stop as ours.

python ibcc_numpy.py labels.bin gold.bin
"""
import json
import resource
import sys

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import digamma, gammaln


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def log_beta(a, axis=-1):
    return gammaln(a).sum(axis) - gammaln(a.sum(axis))


def ibcc(task, worker, label, T, W, K, diagonal=4.0, off=1.0, alpha=1.0, tolerance=1e-8, most=500):
    # Rows are tasks, columns (worker, label): E step and M step are sparse products.
    votes = csr_matrix((np.ones(len(task)), (task, worker * K + label)), shape=(T, W * K))
    turned = votes.T.tocsr()
    shares = csr_matrix((np.ones(len(task)), (task, label)), shape=(T, K)).toarray()
    q = shares / shares.sum(1, keepdims=True)
    beta = np.full((W, K, K), off) + (diagonal - off) * np.eye(K)
    last = None
    for iteration in range(1, most + 1):
        counts = beta + np.asarray(turned @ q).reshape(W, K, K).transpose(0, 2, 1)  # worker, true, given
        log_theta = digamma(counts) - digamma(counts.sum(2, keepdims=True))
        classes = alpha + q.sum(0)
        log_prior = digamma(classes) - digamma(classes.sum())
        logits = votes @ log_theta.transpose(0, 2, 1).reshape(W * K, K) + log_prior
        top = logits.max(1, keepdims=True)
        new = np.exp(logits - top)
        sums = new.sum(1, keepdims=True)
        new /= sums
        divergence = (log_beta(beta) - log_beta(counts) + ((counts - beta) * log_theta).sum(2)).sum()
        prior = np.full(K, alpha)
        divergence += log_beta(prior) - log_beta(classes) + ((classes - prior) * log_prior).sum()
        bound = (top + np.log(sums)).sum() - divergence
        change = np.abs(new - q).max()
        q = new
        if last is not None and (abs(bound - last) <= tolerance * abs(bound) or change <= 1e-6):
            break
        last = bound
    return q, iteration


def high_water():
    """The most memory this process had, in MB; ru_maxrss is inherited from the process that started it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def main():
    raw = np.fromfile(sys.argv[1], dtype=np.int32)
    N, T, W = raw[:3]
    task, worker, label = raw[3 : 3 + N], raw[3 + N : 3 + 2 * N], raw[3 + 2 * N :]
    gold = np.fromfile(sys.argv[2], dtype=np.int32)
    start = cpu()
    q, iterations = ibcc(task, worker, label, T, W, 4)
    seconds = cpu() - start
    peak = high_water()
    accuracy = float((q.argmax(1) == gold).mean())
    print(json.dumps({"cpu": seconds, "iterations": iterations, "accuracy": accuracy, "peakMb": peak}))


main()
