import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { RequestHandler } from 'express';

import { randomToken } from '../admin/login/sessions';
import type { ReloadResult } from '../config';
import { errorMessage, OperatorError, systemErrorCode } from '../support/errors';
import { removeFile, replaceFileSync } from '../support/replace-file';
import { isSameSecret } from '../support/same-secret';

interface ReloadAddress {
  readonly url: string;
  readonly token: string;
}

function addressFile(dataFolder: string): string {
  return join(dataFolder, 'reload.json');
}

/** Returns the address that the service with this data folder has written; undefined if none is running. */
export function readReloadAddress(dataFolder: string): ReloadAddress | undefined {
  try {
    // Only `publish` writes it.
    return JSON.parse(readFileSync(addressFile(dataFolder), 'utf8')) as ReloadAddress;
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') return undefined;
    throw new OperatorError(`Cannot read ${addressFile(dataFolder)}. ${errorMessage(cause)}`, { cause });
  }
}

/**
 * Takes the requests of the command `reload` on the console's port, from those who can read the data folder.
 */
export class ReloadRequests {
  readonly #folder: string;
  readonly #token = randomToken();
  readonly #reload: () => Promise<ReloadResult>;

  /** @param reload - reloads settings and files, and resolves when all processes have */
  constructor(dataFolder: string, reload: () => Promise<ReloadResult>) {
    this.#folder = dataFolder;
    this.#reload = reload;
  }

  /** Answers a reload request with its result; the token replaces a login. */
  readonly route: RequestHandler = (request, response, next) => {
    if (request.method !== 'POST' || request.path !== '/reload') {
      next();
      return;
    }
    response.set('Cache-Control', 'no-store');
    if (isSameSecret(request.headers.authorization ?? '', `Bearer ${this.#token}`))
      this.#reload().then((result) => response.json(result), next);
    else response.status(403).type('text/plain').send('Run the command reload as the service’s user.\n');
  };

  /** Writes the address where other users cannot read it. */
  publish(host: string | undefined, port: number): void {
    const name = host === undefined ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
    const address: ReloadAddress = { url: `http://${name}:${String(port)}/reload`, token: this.#token };
    replaceFileSync(addressFile(this.#folder), `${JSON.stringify(address)}\n`);
  }

  /** Removes the address, unless another service has written its own since. */
  close(): void {
    if (readReloadAddress(this.#folder)?.token === this.#token) removeFile(addressFile(this.#folder));
  }
}
