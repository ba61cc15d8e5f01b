import { Random } from '../../harness/random';
import { answerChecker, codeLoad, listLoad, type Load, tokenLoad } from '../../../scripts/harness/load';
import type { Binding } from '../../../src/asmx';
import { BAD_REQUESTS } from './bad-requests';
import type { SoakRequest } from './clients';

/** The next request of one kind. */
type Draw = () => SoakRequest;

export const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const satisfies readonly Binding[];

/** How many of 200 requests are of each kind. */
const KINDS: readonly (readonly [count: number, draw: Draw])[] = [
  [81, overAllBindings(tokenLoad)],
  [40, overAllBindings((binding) => listLoad(30, binding))],
  [8, overAllBindings((binding) => listLoad(1_000, binding))],
  [1, overAllBindings((binding) => listLoad(10_000, binding))],
  [30, fromLoad(codeLoad())],
  [40, inTurn(BAD_REQUESTS.map((request) => () => request))],
];
const DECK = KINDS.flatMap(([count, draw]) => Array.from({ length: count }, () => draw));

/** Good and bad requests without end, in an order that the seed decides. */
export class RequestMix {
  readonly #random: Random;
  #waiting: Draw[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(): SoakRequest {
    const draw = this.#waiting.pop();
    if (draw !== undefined) return draw();
    this.#waiting = shuffled(DECK, this.#random);
    return this.next();
  }
}

function overAllBindings(load: (binding: Binding) => Load): Draw {
  return inTurn(BINDINGS.map((binding) => fromLoad(load(binding))));
}

function fromLoad(load: Load): Draw {
  const check = answerChecker(load);
  let requests = 0;
  return () => {
    const asked = load.caseOf(requests++);
    return {
      title: load.title,
      bytes: load.before + asked.value + load.after,
      check: (answer) => {
        check(answer, asked);
      },
    };
  };
}

function inTurn(draws: readonly Draw[]): Draw {
  let at = 0;
  return () => {
    const draw = draws[at++ % draws.length];
    if (draw === undefined) throw new Error('There is nothing to take in turn.');
    return draw();
  };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random.below(2 ** 32) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
