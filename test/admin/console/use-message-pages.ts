import type { NewMessage } from '../../../src/store';
import type { EngineName } from '../../harness/test-databases';
import { failMessages } from './fail-messages';
import { cellsOf, useConsole } from './use-console';

/** Starts the console for the tests of the surrounding block, with functions that make and list messages. */
export function useMessagePages(engine: EngineName) {
  const console = useConsole(engine);
  const enqueue = (message: Partial<NewMessage> = {}): Promise<string> =>
    console.store.messages.enqueue({
      ...{
        channel: 'sms',
        recipient: '+905550000000',
        school: '',
        payload: { code: '84021' },
        dedupeKey: null,
      },
      ...{ createdAt: console.now - 1000, expiresAt: console.now + 300_000, ...message },
    });
  return {
    console,
    enqueue,
    push: (recipient: string, school: string, more: Partial<NewMessage> = {}): Promise<string> =>
      enqueue({ channel: 'push', recipient, school, payload: { note: 'N1' }, ...more }),
    fail: (
      channel: 'sms' | 'push',
      code: 'sender_mismatch' | 'service_failed' | 'provider_timeout',
    ): Promise<void> => failMessages(console.store, { channel, reason: { code }, now: console.now }),
    listed: async (query: string) =>
      cellsOf((await console.get(`/messages${query}`)).text, 'Messages').slice(1),
  };
}
