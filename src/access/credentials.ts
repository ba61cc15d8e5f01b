import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import { Rates } from './rates';
import { isKeyOf, isSecretOf, type SecretHash, unmatchedHash } from './secret-hash';

interface Presented<Caller> {
  readonly header: string;
  readonly value: Buffer;
  readonly caller: Caller;
}

/**
 * What each connection presented last, and whose it was: clients send the same with every request, and its digest
 * costs more than all else that is asked of a caller. Compared in a time that does not tell how near another value
 * comes, since a proxy may send the requests of several callers over one connection.
 */
class LastPresented<Caller> {
  readonly #last = new WeakMap<object, Presented<Caller>>();

  find(connection: object, header: string, value: string): Caller | undefined {
    const last = this.#last.get(connection);
    if (last?.value.length !== value.length || last.header !== header) return undefined;
    return timingSafeEqual(last.value, Buffer.from(value, 'latin1')) ? last.caller : undefined;
  }

  /** @param value a header's, of which Node makes one character for each byte */
  note(connection: object, header: string, value: string, caller: Caller): void {
    this.#last.set(connection, { header, value: Buffer.from(value, 'latin1'), caller });
  }
}

/** Passwords tried in a minute that are not known yet: from one place, and from all. */
const ATTEMPTS_OF_PLACE = 10;
const ATTEMPTS_OF_ALL = 60;
/** Digests that are remembered, of right and of wrong credentials each. */
const MOST_REMEMBERED = 10_000;

/** Credentials that nobody has, or that are not tried now because too many were. */
export class Rejected {
  /** @param retryAfter seconds after which they will be tried; 0 where they are wrong */
  constructor(readonly retryAfter: number) {}
}

const WRONG = new Rejected(0);

interface User<Caller> {
  readonly caller: Caller;
  readonly hashes: readonly SecretHash[];
}

/**
 * Finds whose credentials somebody presents. What was found is remembered by a digest under a key of this
 * process, so that a password costs its scrypt once; and strangers get few tries, one at a time.
 */
export class Credentials<Caller> {
  readonly #users = new Map<string, User<Caller>>();
  /** By the name of their header. */
  readonly #keys = new Map<string, { readonly caller: Caller; readonly digest: Buffer }[]>();
  readonly #pepper = randomBytes(32).toString('base64');
  readonly #lastKey = new LastPresented<Caller>();
  readonly #lastUser = new LastPresented<Caller>();
  readonly #right = new Map<string, Caller>();
  readonly #wrong = new Set<string>();
  readonly #underWay = new Map<string, Promise<Caller | Rejected>>();
  readonly #attempts = new Rates(60_000);
  readonly #nobody: User<undefined> = { caller: undefined, hashes: [unmatchedHash()] };
  #lastTried: Promise<unknown> = Promise.resolve();

  addUser(name: string, hashes: readonly SecretHash[], caller: Caller): void {
    this.#users.set(name, { caller, hashes });
  }

  addKey(header: string, digest: Buffer, caller: Caller): void {
    this.#keys.set(header, [...(this.#keys.get(header) ?? []), { caller, digest }]);
  }

  get hasUsers(): boolean {
    return this.#users.size > 0;
  }

  /** Headers that carry keys. */
  get keyHeaders(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * @param key value of a header of {@link keyHeaders}
   * @param connection over which it comes
   */
  ofKey(header: string, key: string, connection: object): Caller | Rejected {
    const last = this.#lastKey.find(connection, header, key);
    if (last !== undefined) return last;
    const digest = this.#digestOf(header, key);
    const found = this.#recall(digest) ?? this.#remember(digest, this.#findKey(header, key));
    if (!(found instanceof Rejected)) this.#lastKey.note(connection, header, key, found);
    return found;
  }

  /**
   * @param header value of Authorization, of the scheme Basic
   * @param place where it comes from: who tries too much there has to wait
   * @param connection over which it comes
   */
  ofBasic(header: string, place: string, connection: object): Caller | Rejected | Promise<Caller | Rejected> {
    const last = this.#lastUser.find(connection, '', header);
    if (last !== undefined) return last;
    const digest = this.#digestOf('', header);
    const known = this.#recall(digest);
    if (known === undefined) return this.#underWay.get(digest) ?? this.#try(digest, readBasic(header), place);
    if (!(known instanceof Rejected)) this.#lastUser.note(connection, '', header, known);
    return known;
  }

  /** @param place where they come from: who tries too much there has to wait */
  ofUser(name: string, password: string, place: string): Caller | Rejected | Promise<Caller | Rejected> {
    const digest = this.#digestOf(`user ${name}`, password);
    return this.#recall(digest) ?? this.#underWay.get(digest) ?? this.#try(digest, [name, password], place);
  }

  #try(
    digest: string,
    [name, password]: ReturnType<typeof readBasic>,
    place: string,
  ): Rejected | Promise<Caller | Rejected> {
    if (password === undefined) return WRONG;
    const user = this.#users.get(name);
    const wait = this.#waitFor(place, user !== undefined);
    if (wait > 0) return new Rejected(wait);
    // How long it takes must not tell which users there are.
    const found = this.#isPassword(user ?? this.#nobody, password).then((isRight) => {
      this.#underWay.delete(digest);
      return this.#remember(digest, isRight && user !== undefined ? user.caller : WRONG);
    });
    this.#underWay.set(digest, found);
    return found;
  }

  // Those who guess at names do not use up what is there for users.
  #waitFor(place: string, isUser: boolean): number {
    const wait = this.#attempts.take(`of ${place}`, ATTEMPTS_OF_PLACE);
    return wait > 0 ? wait : this.#attempts.take(isUser ? 'of users' : 'of nobody', ATTEMPTS_OF_ALL);
  }

  async #isPassword({ hashes }: User<unknown>, password: string): Promise<boolean> {
    const tried = this.#lastTried.then(async () => {
      let isRight = false;
      for (const one of hashes) if (await isSecretOf(one, password)) isRight = true;
      return isRight;
    });
    this.#lastTried = tried.catch(() => undefined);
    return tried;
  }

  #findKey(header: string, key: string): Caller | Rejected {
    let found: Caller | Rejected = WRONG;
    for (const { digest, caller } of this.#keys.get(header) ?? []) if (isKeyOf(digest, key)) found = caller;
    return found;
  }

  #digestOf(scheme: string, presented: string): string {
    return hash('sha256', `${this.#pepper}${scheme}:${presented}`, 'base64');
  }

  #recall(digest: string): Caller | Rejected | undefined {
    return this.#right.get(digest) ?? (this.#wrong.has(digest) ? WRONG : undefined);
  }

  #remember(digest: string, found: Caller | Rejected): Caller | Rejected {
    if (found instanceof Rejected) {
      if (this.#wrong.size >= MOST_REMEMBERED) this.#wrong.clear();
      this.#wrong.add(digest);
    } else {
      if (this.#right.size >= MOST_REMEMBERED) this.#right.clear();
      this.#right.set(digest, found);
    }
    return found;
  }
}

/** User and password of the scheme Basic (RFC 7617); no password where the header is not well-formed. */
function readBasic(header: string): readonly [user: string, password: string | undefined] {
  const [, token] = /^basic +([A-Za-z0-9+/]{1,2000}={0,2})$/i.exec(header) ?? [];
  if (token === undefined) return ['', undefined];
  const text = Buffer.from(token, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? ['', undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}
