import type { Request } from 'express';

import type { Admission, Binding, Authorizer, OperationArguments } from '../asmx';
import { type AccessDecision, type AttemptedCall, clientAddress, type Refusal } from '../asmx/internal';
import type { Reloadable } from '../config';
import { type AccessNames, type May, readAccessFile } from './access-file';
import { networkKey } from './networks';
import { certificateProblem } from './client-certificate';
import { type Caller, Callers, type Denial, type Identity, Permissions } from './callers';
import { Rejected } from './credentials';
import { Rates } from './rates';

interface AccessOptions extends AccessNames {
  readonly path: string;
  /** Returns the key of the school that a call names, or undefined. */
  readonly schoolOf: (operation: string, args: OperationArguments) => string | undefined;
  /** Operation whose calls count as codes. */
  readonly codeOperation: string;
}

interface Rules {
  readonly callers: Callers;
  readonly anonymous: { readonly permissions: Permissions; readonly rate: May['rate'] };
}

/** Counter for calls, with its limits. */
interface Account {
  readonly name: string | undefined;
  readonly key: string;
  readonly rate: May['rate'];
}

const MESSAGES: Readonly<Record<Denial, string>> = {
  operation: 'This caller may not call this operation.',
  binding: 'This caller may not call this operation over this binding.',
  school: 'This caller may not access this school.',
};

/** Admits the callers of the access file, and others within its limits. */
export class Access implements Authorizer, Reloadable {
  readonly settings = ['ACCESS_FILE'] as const;
  readonly #options: AccessOptions;
  /** Kept when the file is reloaded, so that a used-up limit is not reset. */
  readonly #requests = new Rates(60_000);
  readonly #codes = new Rates(3_600_000);
  #rules: Rules;

  /** @throws OperatorError when the file cannot be used */
  constructor(options: AccessOptions) {
    this.#options = options;
    this.#rules = readRules(options);
  }

  /**
   * Reloads the file; it takes effect with the next request.
   *
   * @throws OperatorError when it cannot be used; then nothing has changed
   */
  reload(): void {
    this.#rules = readRules(this.#options);
  }

  get callerNames(): readonly string[] {
    return this.#rules.callers.names;
  }

  /** True if some of them are identified by a certificate. */
  get knowsCertificates(): boolean {
    return this.#rules.callers.knowsCertificates;
  }

  admit(request: Request, call: AttemptedCall): AccessDecision | Promise<AccessDecision> {
    const rules = this.#rules;
    const { headers, socket } = request;
    const address = clientAddress(request);
    const identity = rules.callers.identify({ headers, socket, address });
    if (identity instanceof Promise)
      return identity.then((found) => this.#decide(rules, found, request, address, call));
    return this.#decide(rules, identity, request, address, call);
  }

  #decide(
    rules: Rules,
    identity: Identity,
    { socket }: Request,
    address: string | undefined,
    call: AttemptedCall,
  ): AccessDecision {
    if (identity instanceof Rejected && identity.retryAfter > 0) {
      return tooMany('attempts', identity.retryAfter, undefined, 'Too many failed logins.');
    }
    if (identity instanceof Rejected) return unknownCaller(rules, 'wrong-credentials');
    if (identity === 'incomplete') return unknownCaller(rules, 'incomplete-credentials');

    const { anonymous } = rules;
    const denial = anonymous.permissions.attempt(call) && (identity ?? anonymous).permissions.attempt(call);
    if (denial !== undefined) {
      return identity === undefined
        ? unknownCaller(rules, certificateProblem(socket) ?? 'no-credentials')
        : denied(denial, identity.name);
    }
    const account = accountOf(identity, anonymous.rate, address);
    const limit = account.rate.requestsPerMinute;
    const wait = limit === undefined ? 0 : this.#requests.take(account.key, limit);
    if (wait > 0) return tooMany('requests-per-minute', wait, account.name, 'Too many requests.');
    return this.#admission(rules, identity, account);
  }

  #admission({ anonymous }: Rules, caller: Caller | undefined, account: Account): Admission {
    const authorize = (
      operation: string,
      binding: Binding,
      args: OperationArguments,
    ): Refusal | undefined => {
      const schoolOf = (): string | undefined => this.#options.schoolOf(operation, args);
      const denial =
        anonymous.permissions.call(operation, binding, schoolOf) &&
        (caller ?? anonymous).permissions.call(operation, binding, schoolOf);
      if (denial !== undefined) return denied(denial, account.name);
      return operation === this.#options.codeOperation ? this.#countCode(account) : undefined;
    };
    return { caller: account.name, authorize };
  }

  #countCode({ name, key, rate: { codesPerHour } }: Account): Refusal | undefined {
    if (codesPerHour === undefined) return undefined;
    const wait = this.#codes.take(key, codesPerHour);
    return wait === 0 ? undefined : tooMany('codes-per-hour', wait, name, 'Too many codes.');
  }
}

function readRules(options: AccessOptions): Rules {
  const file = readAccessFile(options.path, options);
  const { anonymous } = file;
  return {
    callers: new Callers(file),
    anonymous: { permissions: new Permissions(anonymous), rate: anonymous.rate },
  };
}

// Strangers are counted by address, so that one of them cannot use up the limit of all.
function accountOf(
  caller: Caller | undefined,
  rateOfStrangers: May['rate'],
  address: string | undefined,
): Account {
  return caller === undefined
    ? { name: undefined, key: `from ${networkKey(address)}`, rate: rateOfStrangers }
    : { name: caller.name, key: caller.name, rate: caller.rate };
}

/** Refuses an unidentified caller, who may do nothing, or not this. */
function unknownCaller({ callers: { challenge } }: Rules, reason: string): Refusal {
  const message = 'Access denied: unknown caller.';
  if (challenge === undefined) return { status: 403, headers: [], message, reason, caller: undefined };
  return { status: 401, headers: ['WWW-Authenticate', challenge], message, reason, caller: undefined };
}

function denied(reason: Denial, caller: string | undefined): Refusal {
  return { status: 403, headers: [], message: MESSAGES[reason], reason, caller };
}

function tooMany(reason: string, seconds: number, caller: string | undefined, what: string): Refusal {
  return {
    status: 429,
    headers: ['Retry-After', String(seconds)],
    message: `${what} Try again in ${String(seconds)} s.`,
    reason,
    caller,
  };
}
