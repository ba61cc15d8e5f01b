import type { FakeProvider, ReceivedRequest } from './fake-provider';

/** One message that reached the provider. */
export interface Receipt {
  /** When it was taken, on the clock of `performance.now()`. */
  readonly at: number;
  /** Path of the request. */
  readonly path: string;
}

/** Describes what reached the provider, by the message's key. */
export type Receipts = ReadonlyMap<string, readonly Receipt[]>;

interface SmsBody {
  readonly to: string;
}
interface PushBody {
  readonly message: { readonly token: string; readonly data: { readonly note: string } };
}

interface Waiting {
  readonly missing: Set<string>;
  readonly done: () => void;
}

/** Keeps when and where each message reached the provider, by its phone, or by its note and token. */
export class ProviderLog {
  readonly #receipts = new Map<string, Receipt[]>();
  readonly #waiting = new Set<Waiting>();

  /**
   * @param refuses - requests that get 503, and do not count as arrived
   * @param answer - body of the answer to one that is taken
   */
  constructor(
    provider: FakeProvider,
    refuses: (request: ReceivedRequest) => boolean = () => false,
    answer: (request: ReceivedRequest) => string = () => '{}',
  ) {
    provider.usual = (request) => {
      if (refuses(request)) return { status: 503 };
      this.#receive(keyOf(request), request.path);
      return { status: 200, body: answer(request) };
    };
  }

  get receipts(): Receipts {
    return this.#receipts;
  }

  /** Resolves when all of these have arrived, or the time is over; to whether they have. */
  async arrived(keys: readonly string[], withinMs: number): Promise<boolean> {
    const missing = new Set(keys.filter((key) => !this.#receipts.has(key)));
    if (missing.size === 0) return true;
    await new Promise<void>((resolve) => {
      const waiting: Waiting = {
        missing,
        done: () => {
          clearTimeout(late);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      const late = setTimeout(waiting.done, withinMs);
      this.#waiting.add(waiting);
    });
    return missing.size === 0;
  }

  #receive(key: string, path: string): void {
    const receipts = this.#receipts.get(key) ?? [];
    this.#receipts.set(key, receipts);
    receipts.push({ at: performance.now(), path });
    for (const { missing, done } of this.#waiting) {
      if (missing.delete(key) && missing.size === 0) done();
    }
  }
}

function keyOf({ path, body }: ReceivedRequest): string {
  if (path.startsWith('/sms')) return (JSON.parse(body) as SmsBody).to; // As JSON_GATEWAY says.
  const { message } = JSON.parse(body) as PushBody; // As the FCM channel writes it.
  return pushKey(message.data.note, message.token);
}

export function pushKey(note: string, token: string): string {
  return `${note} ${token}`;
}
