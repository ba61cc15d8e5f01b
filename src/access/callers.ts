import type { IncomingHttpHeaders } from 'node:http';
import type { BlockList, Socket } from 'node:net';

import { LRUCache } from 'lru-cache';

import type { AttemptedCall } from '../asmx/internal';
import type { Binding } from '../asmx';
import type { AccessFile, CallerRules, May } from './access-file';
import { isIn, networkKey } from './networks';
import { findCertificate, subjectText } from './client-certificate';
import { Credentials, Rejected } from './credentials';

/** Part of a call for which it was refused. */
export type Denial = 'operation' | 'binding' | 'school';

export class Permissions {
  readonly #operations: ReadonlySet<string> | undefined;
  readonly #bindings: ReadonlySet<Binding> | undefined;
  readonly #schools: ReadonlySet<string> | undefined;

  constructor({ operations, bindings, schools }: May) {
    this.#operations = operations && new Set(operations);
    this.#bindings = bindings && new Set(bindings);
    this.#schools = schools && new Set(schools);
  }

  /** Checks the known parts of a call; unknown parts may still be allowed. */
  attempt({ operation, bindings }: AttemptedCall): Denial | undefined {
    const operations = this.#operations;
    if (
      operations !== undefined &&
      !(operation === undefined ? operations.size > 0 : operations.has(operation))
    )
      return 'operation';
    const own = this.#bindings;
    return own === undefined || bindings.some((binding) => own.has(binding)) ? undefined : 'binding';
  }

  /** @param schoolOf returns the school that the call names, or undefined; only called if it matters */
  call(operation: string, binding: Binding, schoolOf: () => string | undefined): Denial | undefined {
    if (this.#operations?.has(operation) === false) return 'operation';
    if (this.#bindings?.has(binding) === false) return 'binding';
    if (this.#schools === undefined) return undefined;
    const school = schoolOf();
    return school === undefined || this.#schools.has(school) ? undefined : 'school';
  }
}

/** A caller in the operator's file. */
export interface Caller {
  readonly name: string;
  readonly permissions: Permissions;
  readonly rate: CallerRules['rate'];
  readonly networks: BlockList | undefined;
  readonly certificate: CallerRules['certificate'];
  readonly hasUser: boolean;
  readonly hasKey: boolean;
  /** Number of its identifications, all of which are required. */
  readonly identifications: number;
}

/** Parts of a request that identify its sender. */
interface Evidence {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  /** Normalized address of the client; undefined if not known. */
  readonly address: string | undefined;
}

/** Maximum number of addresses whose networks are cached: a look-up in the list takes microseconds. */
const MAX_ADDRESSES = 10_000;
const NO_CALLERS: ReadonlySet<Caller> = new Set();

/**
 * `incomplete` means valid credentials of a caller that needs another identification besides; undefined means
 * no credentials, and an address in no caller's network.
 */
export type Identity = Caller | Rejected | 'incomplete' | undefined;

/** Identifies the caller of a request. */
export class Callers {
  readonly names: readonly string[];
  readonly #credentials = new Credentials<Caller>();
  readonly #inNetworks: readonly Caller[];
  readonly #withCertificate: readonly Caller[];
  /** Callers identified by nothing that a request could present incorrectly. */
  readonly #silent: readonly Caller[];
  readonly #hasUsers: boolean;
  readonly #keyHeaders: readonly string[];
  readonly #byAddress = new LRUCache<string, ReadonlySet<Caller>>({ max: MAX_ADDRESSES });

  constructor({ callers }: AccessFile) {
    this.names = Object.keys(callers);
    const all = Object.entries(callers).map(([name, rules]) => this.#add(name, rules));
    this.#inNetworks = all.filter(({ networks }) => networks !== undefined);
    this.#withCertificate = all.filter(({ certificate }) => certificate !== undefined);
    this.#silent = all
      .filter(({ hasUser, hasKey }) => !hasUser && !hasKey)
      .sort((a, b) => b.identifications - a.identifications);
    this.#hasUsers = this.#credentials.hasUsers;
    this.#keyHeaders = this.#credentials.keyHeaders;
  }

  /** True if some callers are identified by a certificate. */
  get knowsCertificates(): boolean {
    return this.#withCertificate.length > 0;
  }

  /** WWW-Authenticate header with the accepted credentials; undefined if there are none. */
  get challenge(): string | undefined {
    if (this.#hasUsers) return 'Basic realm="web service", charset="UTF-8"';
    const [header] = this.#keyHeaders;
    return header === undefined ? undefined : `ApiKey realm="web service", header="${header}"`;
  }

  /** Identifies the sender by the request's head; asynchronous only for a password that is new. */
  identify(evidence: Evidence): Identity | Promise<Identity> {
    const { headers, address, socket } = evidence;
    const { authorization } = headers;
    if (!this.#hasUsers || authorization === undefined || !/^basic /i.test(authorization))
      return this.#combine(evidence, undefined);
    const user = this.#credentials.callerForBasic(authorization, networkKey(address), socket);
    if (!(user instanceof Promise)) return this.#combine(evidence, user);
    return user.then((found) => this.#combine(evidence, found));
  }

  #add(name: string, rules: CallerRules): Caller {
    const { networks, basic, key, certificate, rate } = rules;
    const caller: Caller = {
      name,
      permissions: new Permissions(rules),
      rate,
      networks,
      certificate,
      hasUser: basic !== undefined,
      hasKey: key !== undefined,
      identifications: [networks, basic, key, certificate].filter((way) => way !== undefined).length,
    };
    if (basic !== undefined) this.#credentials.addUser(basic.user, basic.secret, caller);
    for (const digest of key?.secret ?? []) this.#credentials.addKey(key?.header ?? '', digest, caller);
    return caller;
  }

  #combine(evidence: Evidence, user: Caller | Rejected | undefined): Identity {
    if (user instanceof Rejected) return user;
    const key = this.#callerForKey(evidence);
    if (key instanceof Rejected) return key;
    const certified = this.#certified(evidence.socket);
    const inside = this.#inside(evidence.address);
    const isComplete = (caller: Caller): boolean =>
      (!caller.hasUser || caller === user) &&
      (!caller.hasKey || caller === key) &&
      (caller.certificate === undefined || certified.has(caller)) &&
      (caller.networks === undefined || inside.has(caller));

    if (user !== undefined && isComplete(user)) return user;
    if (key !== undefined && isComplete(key)) return key;
    if (user !== undefined || key !== undefined) return 'incomplete';
    if (certified.size === 0 && inside.size === 0) return undefined;
    return this.#silent.find(isComplete);
  }

  #callerForKey({ headers, socket }: Evidence): Caller | Rejected | undefined {
    for (const name of this.#keyHeaders) {
      const value = headers[name];
      if (typeof value === 'string') return this.#credentials.callerForKey(name, value, socket);
    }
    return undefined;
  }

  #inside(address: string | undefined): ReadonlySet<Caller> {
    if (address === undefined || this.#inNetworks.length === 0) return NO_CALLERS;
    const known = this.#byAddress.get(address);
    if (known !== undefined) return known;
    const found = new Set(this.#inNetworks.filter(({ networks }) => networks && isIn(networks, address)));
    this.#byAddress.set(address, found);
    return found;
  }

  #certified(socket: Socket): ReadonlySet<Caller> {
    if (this.#withCertificate.length === 0) return NO_CALLERS;
    const presented = findCertificate(socket);
    if (presented === undefined) return NO_CALLERS;
    return new Set(
      this.#withCertificate.filter(({ certificate }) =>
        certificate?.subject === undefined
          ? certificate?.fingerprint === presented.fingerprint
          : subjectText(certificate.subject) === presented.subject,
      ),
    );
  }
}
