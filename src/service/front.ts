import type { Server } from 'node:http';

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

import type { Asmx } from '../asmx';
import type { Config, Reloadable } from '../config';
import type { Metrics, Tracing } from '../telemetry';

/** Parts of the service for a feature that answers before the protocol does. */
export interface FrontCore {
  readonly config: Config;
  /** Answers the calls that the feature leaves to this service. */
  readonly asmx: Asmx;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Traces forwarded requests. */
  readonly trace: Tracing['tracePassage'];
  /** Paths that the service answers itself in any case. */
  readonly ownPaths: ReadonlySet<string>;
  /** Creates a server that answers like this service but sends nothing, with a time limit for operations. */
  readonly openOwn: (handlerMilliseconds: number) => Promise<Server>;
}

/** Answers requests before the protocol does. */
export interface Front extends Reloadable {
  /** Takes the place of the protocol's own. */
  readonly middleware: RequestHandler;
  close(): Promise<void>;
}
