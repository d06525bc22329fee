/**
 * Token vote: each position gets the tag that most workers gave it; ties go to the first tag.
 *
 * A vote looks at one position at a time, so its tags may break BIO: I-X without a span to go on with. Such a tag is
 * written as B-X, which leaves the spans as they are. Probabilities take positions for independent.
 *
 * Snow et al. (2008), EMNLP, 254–263. https://aclanthology.org/D08-1027/
 */
import { repaired } from "../../data/sequence.ts";
import type { Steps } from "../../method.ts";
import { type Frame, type Tagging, tagger, voteShares } from "./tagger.ts";

/** Each position gets the tag that most workers gave it. */
export const tokenVote = tagger(
  {
    id: "token-vote",
    title: "Token vote",
    summary: "Each position gets the tag that most workers gave it, whatever stands beside it.",
    paper: {
      authors: "R. Snow, B. O’Connor, D. Jurafsky, A. Y. Ng",
      year: 2008,
      title:
        "Cheap and fast – but is it good? Evaluating non-expert annotations for natural language tasks",
      url: "https://aclanthology.org/D08-1027/",
    },
    family: "tokens",
    cost: "O(N + TK)",
    options: {},
  },
  function* (frame): Steps<Tagging> {
    const posterior = voteShares(frame);
    const vote = mostVoted(posterior, frame.K);
    const path = repaired(frame.scheme, vote, frame.chains);
    return {
      path,
      posterior,
      confidence: Float64Array.from(vote, (tag, t) => posterior[t * frame.K + tag]),
      ...independent(frame, posterior, path),
      trace: [],
      converged: true,
    };
  },
);

/** Shares closer than this are a tie. */
const EQUAL = 1e-12;

/** The tag with the largest share at each token; ties go to the first tag. */
function mostVoted(shares: Float64Array, K: number): Int32Array {
  return Int32Array.from({ length: shares.length / K }, (_, t) => {
    let best = 0;
    for (let c = 1; c < K; c++) if (shares[t * K + c] > shares[t * K + best] + EQUAL) best = c;
    return best;
  });
}

/** Spans under independent positions: I-X begins a span where the tag before is of no span of X. */
function independent(
  { K, chains, T, scheme }: Frame,
  shares: Float64Array,
  path: Int32Array,
): Pick<Tagging, "begins" | "links"> {
  const first = new Uint8Array(T + 1);
  for (const t of chains) first[t] = 1;
  const share = (t: number, tag: number) => (tag < 0 ? 0 : shares[t * K + tag]);
  const carried = (t: number, type: number) => share(t, scheme?.carry[type] ?? -1);
  const begun = (t: number, type: number) => share(t, scheme?.begin[type] ?? -1);
  const typeAt = (t: number) => scheme?.type[path[t]] ?? -1;
  return {
    begins: ({ start, type }) => {
      const alone = first[start] ? 1 : 1 - begun(start - 1, type) - carried(start - 1, type);
      return begun(start, type) + carried(start, type) * alone;
    },
    links: {
      onward: Float64Array.from(path, (tag, t) => share(t, tag)),
      longer: Float64Array.from(path, (_, t) =>
        first[t] || typeAt(t - 1) < 0 ? 0 : carried(t, typeAt(t - 1)),
      ),
    },
  };
}
