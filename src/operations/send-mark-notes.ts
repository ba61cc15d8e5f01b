import { createHash } from 'node:crypto';

import { canonicalSchoolUrl, NOTE_LIFETIME_MS, type Store } from '../store';
import { LONGEST, required, requiredKey } from './arguments';
import type { Operation } from './contract';

export interface SendMarkNotesDependencies {
  readonly messages: Pick<Store['messages'], 'enqueue'>;
  /** Tells whoever delivers that there is a request. */
  readonly wake: () => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores the request as one row, however large the class is, and answers when it is durable. */
export function sendMarkNotes({
  messages,
  wake,
  now,
}: SendMarkNotesDependencies): Operation<'SendMarkNotes'> {
  return async (args, call) => {
    const note = requiredKey(args, 'id');
    const classId = requiredKey(args, 'id_class');
    const school = canonicalSchoolUrl(required(args, 'baseUrlSchool', LONGEST.url));

    const createdAt = now();
    const messageId = await messages.enqueue({
      channel: 'mark',
      recipient: classId,
      school,
      note,
      payload: { note },
      createdAt,
      expiresAt: createdAt + NOTE_LIFETIME_MS,
      dedupeKey: keyOf(school, classId, note),
      caller: call.caller,
      trace: call.trace,
    });
    wake();
    call.annotate({ messageId });
    return undefined;
  };
}

/** The same for every request of this note for this class. A digest, because a key of the store is short. */
function keyOf(...names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex');
}
