import type { Server } from 'node:http';

import express from 'express';

import { createAsmx, createHttpServer, type EndpointDefinition } from '../../../../src/asmx';
import type { ForwardedCall } from '../../../../src/features/migration/reverse-proxy/forwarding-report';
import type { ShadowObserver } from '../../../../src/features/migration/reverse-proxy/shadow';
import type { Verdict } from '../../../../src/features/migration/verdict/verdict';
import { isFailing } from '../../../../src/features/migration/verdict/verdict';
import { REFERENCE_ENDPOINTS } from '../../../reference/endpoints';
import type { StringArguments } from '../../../harness/recording-endpoints';

/** Makes a new server that listens at no port; `before` may answer instead of it. */
export async function ownServer(
  endpoints: readonly EndpointDefinition[] = REFERENCE_ENDPOINTS,
  before?: express.RequestHandler,
): Promise<Server> {
  const asmx = await createAsmx({ endpoints, charReading: 'lenient' });
  const app = express().disable('x-powered-by');
  if (before !== undefined) app.use(before);
  app.use(asmx.middleware);
  return createHttpServer(app, asmx);
}

/** The reference with another answer for the token of a device. */
export function withToken(
  token: (id: string | null | undefined) => Promise<string>,
): readonly EndpointDefinition[] {
  return REFERENCE_ENDPOINTS.map((endpoint) =>
    'GetTokenDevice' in endpoint.handlers
      ? {
          ...endpoint,
          handlers: { ...endpoint.handlers, GetTokenDevice: ({ id }: StringArguments) => token(id) },
        }
      : endpoint,
  );
}

export interface RecordedCall {
  readonly operation: string | undefined;
  readonly binding: string | undefined;
  /** A level, or why it was not compared. */
  readonly verdict: string;
  /** Lists the places of what does not differ on purpose. */
  readonly places: readonly string[];
}

/** Keeps what is reported to it. */
export class Notes implements ShadowObserver {
  readonly all: RecordedCall[] = [];
  #onNoted: () => void = () => undefined;

  compared({ operation, binding }: ForwardedCall, _request: unknown, { level, differences }: Verdict): void {
    this.#note({
      operation,
      binding,
      verdict: level,
      places: differences.filter(isFailing).map(({ place }) => place),
    });
  }

  notCompared({ operation, binding }: ForwardedCall, why: string): void {
    this.#note({ operation, binding, verdict: why, places: [] });
  }

  close(): void {
    // It keeps nothing.
  }

  /** Waits until this number was reported. */
  async until(count: number): Promise<readonly RecordedCall[]> {
    await new Promise<void>((resolve) => {
      this.#onNoted = () => {
        if (this.all.length >= count) resolve();
      };
      this.#onNoted();
    });
    return this.all;
  }

  #note(noted: RecordedCall): void {
    this.all.push(noted);
    this.#onNoted();
  }
}
