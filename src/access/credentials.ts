import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

import { LRUCache } from 'lru-cache';

import { Rates } from './rates';
import { matchesSecret, type SecretHash, unmatchedHash } from './secret-hash';
import { hasDigest } from '../support/same-secret';

interface Presented<Caller> {
  readonly header: string;
  readonly value: Buffer;
  readonly caller: Caller;
}

/**
 * Remembers the last credentials of each connection with their owner: clients repeat them with every request,
 * and computing their digest costs more than all other checks of a caller. The comparison takes constant
 * time, because a proxy may send requests of several callers over one connection.
 */
class CredentialCache<Caller> {
  readonly #last = new WeakMap<object, Presented<Caller>>();

  find(connection: object, header: string, value: string): Caller | undefined {
    const last = this.#last.get(connection);
    if (last?.value.length !== value.length || last.header !== header) return undefined;
    return timingSafeEqual(last.value, Buffer.from(value, 'latin1')) ? last.caller : undefined;
  }

  /** @param value of a header, with one character per byte, as Node reads it */
  note(connection: object, header: string, value: string, caller: Caller): void {
    this.#last.set(connection, { header, value: Buffer.from(value, 'latin1'), caller });
  }
}

/** Maximum number of unknown passwords tried per minute: from one place, and from all places. */
const ATTEMPTS_OF_PLACE = 10;
const ATTEMPTS_OF_ALL = 60;
/** Maximum number of cached digests, for valid and invalid credentials each. */
const MAX_REMEMBERED = 10_000;
/** With `max` in its place, each of these caches would take the memory of all its entries at once. */
const BOUND = { maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 };

/** Invalid credentials, or credentials not tried now because of too many attempts. */
export class Rejected {
  /** @param retryAfter seconds until they will be tried; 0 for invalid ones */
  constructor(readonly retryAfter: number) {}
}

const WRONG = new Rejected(0);

interface User<Caller> {
  readonly caller: Caller;
  readonly hashes: readonly SecretHash[];
}

/**
 * Finds the owner of credentials. Results are cached by a digest under a key of this process, so that scrypt
 * runs only once per password; unknown credentials get few attempts, one at a time.
 */
export class Credentials<Caller extends object | string> {
  readonly #users = new Map<string, User<Caller>>();
  /** Keys by header name. */
  readonly #keys = new Map<string, { readonly caller: Caller; readonly digest: Buffer }[]>();
  readonly #pepper = randomBytes(32).toString('base64');
  readonly #lastKey = new CredentialCache<Caller>();
  readonly #lastUser = new CredentialCache<Caller>();
  readonly #right = new LRUCache<string, Caller>(BOUND);
  readonly #wrong = new LRUCache<string, Rejected>(BOUND);
  readonly #underWay = new Map<string, Promise<Caller | Rejected>>();
  readonly #attempts = new Rates(60_000);
  readonly #makeUnmatched: typeof unmatchedHash;
  #unmatched: SecretHash;
  /** Largest number of slow hashes that a user has. */
  #slowHashes = 0;
  #lastTried: Promise<unknown> = Promise.resolve();

  /** @param makeUnmatched makes the hash that is verified in place of hashes that a user does not have */
  constructor(makeUnmatched = unmatchedHash) {
    this.#makeUnmatched = makeUnmatched;
    this.#unmatched = makeUnmatched([]);
  }

  addUser(name: string, hashes: readonly SecretHash[], caller: Caller): void {
    this.#users.set(name, { caller, hashes });
    this.#slowHashes = Math.max(this.#slowHashes, countSlow(hashes));
    this.#unmatched = this.#makeUnmatched([this.#unmatched, ...hashes]);
  }

  addKey(header: string, digest: Buffer, caller: Caller): void {
    this.#keys.set(header, [...(this.#keys.get(header) ?? []), { caller, digest }]);
  }

  get hasUsers(): boolean {
    return this.#users.size > 0;
  }

  get keyHeaders(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * @param key value of a header of {@link keyHeaders}
   * @param connection connection that carries it
   */
  callerForKey(header: string, key: string, connection: object): Caller | Rejected {
    const last = this.#lastKey.find(connection, header, key);
    if (last !== undefined) return last;
    const digest = this.#makeDigest(header, key);
    const found = this.#recall(digest) ?? this.#remember(digest, this.#findKey(header, key));
    if (!(found instanceof Rejected)) this.#lastKey.note(connection, header, key, found);
    return found;
  }

  /**
   * @param header Authorization header of the scheme Basic
   * @param place origin of the attempt: too many from one place must wait
   * @param connection connection that carries it
   */
  callerForBasic(
    header: string,
    place: string,
    connection: object,
  ): Caller | Rejected | Promise<Caller | Rejected> {
    const last = this.#lastUser.find(connection, '', header);
    if (last !== undefined) return last;
    const digest = this.#makeDigest('', header);
    const known = this.#recall(digest);
    if (known === undefined) return this.#underWay.get(digest) ?? this.#try(digest, readBasic(header), place);
    if (!(known instanceof Rejected)) this.#lastUser.note(connection, '', header, known);
    return known;
  }

  /** @param place origin of the attempt: too many from one place must wait */
  callerForUser(
    name: string,
    password: string,
    place: string,
  ): Caller | Rejected | Promise<Caller | Rejected> {
    const digest = this.#makeDigest(`user ${name}`, password);
    return this.#recall(digest) ?? this.#underWay.get(digest) ?? this.#try(digest, [name, password], place);
  }

  #try(
    digest: string,
    [name, password]: ReturnType<typeof readBasic>,
    place: string,
  ): Rejected | Promise<Caller | Rejected> {
    if (password === undefined) return WRONG;
    const user = this.#users.get(name);
    const counters = [`of ${place}`, user === undefined ? 'of nobody' : 'of users'] as const;
    const wait = this.#waitFor(...counters);
    if (wait > 0) return new Rejected(wait);
    const found = this.#isPassword(user?.hashes ?? [], password)
      .then((isRight) => {
        // Many users may share a place, such as an office.
        if (isRight) for (const counter of counters) this.#attempts.giveBack(counter);
        return this.#remember(digest, isRight && user !== undefined ? user.caller : WRONG);
      })
      // Also where it cannot be verified, such as without memory: then the next attempt is.
      .finally(() => this.#underWay.delete(digest));
    this.#underWay.set(digest, found);
    return found;
  }

  // Attempts with unknown names do not use up those of users.
  #waitFor(ofPlace: string, ofAll: string): number {
    const wait = this.#attempts.take(ofPlace, ATTEMPTS_OF_PLACE);
    return wait > 0 ? wait : this.#attempts.take(ofAll, ATTEMPTS_OF_ALL);
  }

  /** The time that a wrong password takes does not reveal which users exist. */
  async #isPassword(hashes: readonly SecretHash[], password: string): Promise<boolean> {
    const tried = this.#lastTried.then(async () => {
      let isRight = false;
      for (const one of hashes) if (await matchesSecret(one, password)) isRight = true;
      if (isRight) return true;
      for (let slow = countSlow(hashes); slow < this.#slowHashes; slow += 1)
        await matchesSecret(this.#unmatched, password);
      return false;
    });
    this.#lastTried = tried.catch(() => undefined);
    return tried;
  }

  #findKey(header: string, key: string): Caller | Rejected {
    let found: Caller | Rejected = WRONG;
    for (const { digest, caller } of this.#keys.get(header) ?? []) if (hasDigest(key, digest)) found = caller;
    return found;
  }

  #makeDigest(scheme: string, presented: string): string {
    return hash('sha256', `${this.#pepper}${scheme}:${presented}`, 'base64');
  }

  #recall(digest: string): Caller | Rejected | undefined {
    return this.#right.get(digest) ?? this.#wrong.get(digest);
  }

  #remember(digest: string, found: Caller | Rejected): Caller | Rejected {
    if (found instanceof Rejected) this.#wrong.set(digest, found);
    else this.#right.set(digest, found);
    return found;
  }
}

/** Counts the hashes that are slow to verify. */
function countSlow(hashes: readonly SecretHash[]): number {
  return hashes.filter(({ kind }) => kind === 'scrypt').length;
}

/**
 * Parses the credentials of the scheme Basic (RFC 7617); the password is undefined for a malformed header.
 */
function readBasic(header: string): readonly [user: string, password: string | undefined] {
  const [, token] = /^basic +([A-Za-z0-9+/]{1,2000}={0,2})$/i.exec(header) ?? [];
  if (token === undefined) return ['', undefined];
  const text = Buffer.from(token, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? ['', undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}
