import { Credentials, Rates, Rejected } from '../access';
import { type User, USER_NAME } from './users-file';

/** Log-ins that are tried for one name, from wherever they come. */
const ATTEMPTS_OF_NAME = 10;
const ATTEMPTS_WITHIN_MS = 5 * 60_000;

/** Whose name and password somebody gave, or after how many seconds they may try again; 0 where they are wrong. */
export type LogInResult = { readonly user: string } | { readonly retryAfter: number };

/** Tries names and passwords: few for a name and from a place, one at a time. */
export class LogIn {
  readonly #names = new Rates(ATTEMPTS_WITHIN_MS);
  #credentials = new Credentials<string>();

  /** From now on these, and nobody else. */
  use(users: ReadonlyMap<string, User>): void {
    this.#credentials = new Credentials();
    for (const [name, { hash }] of users) this.#credentials.addUser(name, [hash], name);
  }

  /**
   * @param place - where it comes from
   * @param connection - over which it comes
   */
  async try(name: string, password: string, place: string, connection: object): Promise<LogInResult> {
    // What is no name belongs to nobody: no count, and no other name before its colon.
    if (!USER_NAME.test(name)) return { retryAfter: 0 };
    const retryAfter = this.#names.take(name, ATTEMPTS_OF_NAME);
    if (retryAfter > 0) return { retryAfter };
    const basic = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
    const found = await this.#credentials.ofUser(basic, place, connection);
    return found instanceof Rejected ? { retryAfter: found.retryAfter } : { user: found };
  }
}
