import { keyOfMessage, type Receipt, type Receipts } from '../../../scripts/harness/delivery';
import { openEngine } from '../../../src/store/open-engine';
import { readPayload } from '../../../src/store/outbox/messages';

/** A process that was killed. */
export interface Killed {
  /** When it had ended, on the clock of `performance.now()`. */
  readonly at: number;
  /** A part of each path under which it reached the provider, and nobody else did. */
  readonly life: string;
  /** Keys of the messages that it was sending, according to the store after its end. */
  readonly held: ReadonlySet<string>;
}

export interface Repetitions {
  /** For each message that was sent again for the documented reason, how long before the kill the provider had it. */
  readonly explained: readonly number[];
  readonly unexplained: number;
}

/**
 * Why messages reached the provider again. The one documented reason: the process from which the provider had it was
 * killed after that, and the store had no outcome, but still the lease of that process.
 */
export function explainRepetitions(receipts: Receipts, killed: readonly Killed[]): Repetitions {
  const explained: number[] = [];
  let unexplained = 0;
  for (const [key, [first, ...others]] of receipts) {
    let before = first;
    for (const again of others) {
      const kill = before && killed.find((each) => isReason(each, key, before, again));
      if (kill === undefined || before === undefined) unexplained += 1;
      else explained.push(kill.at - before.at);
      before = again;
    }
  }
  return { explained, unexplained };
}

function isReason(
  { at, life, held }: Killed,
  key: string,
  before: Receipt | undefined,
  again: Receipt,
): boolean {
  if (before === undefined) return false;
  return before.path.includes(`/${life}/`) && before.at <= at && at <= again.at && held.has(key);
}

/** The keys of the messages that a process holds, to be asked when it has ended. */
export async function heldBy(databaseUrl: string, pid: number): Promise<ReadonlySet<string>> {
  const engine = openEngine({ url: databaseUrl, mustExist: true });
  try {
    const rows = await engine.direct.kysely
      .selectFrom('messages')
      .select(['channel', 'recipient', 'payload'])
      .where('state', '=', 'sending')
      .where('lease_owner', 'like', `% ${String(pid)} %`)
      .execute();
    const keys = rows.map(({ channel, recipient, payload }) =>
      keyOfMessage(channel, recipient, readPayload(payload) ?? {}),
    );
    return new Set(keys);
  } finally {
    await engine.close();
  }
}
