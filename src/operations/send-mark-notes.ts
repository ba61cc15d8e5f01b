import { canonicalSchoolUrl, MESSAGE_PRIORITY, type Store } from '../store';
import type { Operation } from './contract';
import { LONGEST, required } from './required';

/** So long a note waits for its school, class or text to be loaded, and for the telephones to be reached. */
const LIFETIME_MS = 24 * 60 * 60_000;

export interface SendMarkNotesDependencies {
  readonly messages: Pick<Store['messages'], 'enqueue'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Stores the request as one row, however large the class is, and answers when it is durable. */
export function sendMarkNotes({ messages, now }: SendMarkNotesDependencies): Operation<'SendMarkNotes'> {
  return async (args, call) => {
    const note = required(args, 'id', LONGEST.key);
    const classId = required(args, 'id_class', LONGEST.key);
    const school = canonicalSchoolUrl(required(args, 'baseUrlSchool', LONGEST.url));

    const createdAt = now();
    const messageId = await messages.enqueue({
      channel: 'mark',
      recipient: classId,
      school,
      payload: { note },
      priority: MESSAGE_PRIORITY.mark,
      createdAt,
      expiresAt: createdAt + LIFETIME_MS,
      dedupeKey: null,
    });
    call.annotate({ messageId });
    return undefined;
  };
}
