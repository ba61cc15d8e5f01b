import type { Request, RequestHandler } from 'express';

import type { Recognition, TraceContext } from '../../asmx';
import type { KnownOperation } from './cut-over';
import type { DoorCall } from './door-report';
import type { ForwardEnd } from './forwarding';
import type { Recorder } from './recording';
import type { Shadow } from './shadow';

/** Told of each request that was passed on, when it has ended. */
export type DoorObserver = (
  call: DoorCall,
  request: Request,
  end: ForwardEnd,
  durationMs: number,
  trace: TraceContext | undefined,
) => void;

export interface FrontDoorOptions {
  /** Origin of the old server. */
  readonly oldUrl: string;
  readonly oldSilenceMs: number;
  /** Where callers reach the door, if it does not learn that from requests. */
  readonly publicAddress: string | undefined;
  /** Most connections to the old server. */
  readonly connections: number;
  /** Longest time a caller may read nothing of its answer, in milliseconds. */
  readonly unreadMs: number;
  /** Path of the file that says who answers what. */
  readonly cutOverFile: string | undefined;
  readonly operations: readonly KnownOperation[];
  /** Answers what is new. */
  readonly ours: RequestHandler;
  readonly recognition: Recognition;
  /** Paths that are not the old server's business, whatever it has there. */
  readonly ownPaths: ReadonlySet<string>;
  /** Compares what the file says is to be compared. */
  readonly shadow: Shadow | undefined;
  /** Records calls, and what else is asked of the endpoints. */
  readonly recorder: Pick<Recorder, 'record' | 'close'> | undefined;
  readonly observe: DoorObserver;
  /** Follows each request that is passed on. */
  readonly trace: (request: Request) => TracedPassage;
}

interface TracedPassage {
  /** What the old server is told that the request is a part of; undefined leaves it what the caller said. */
  readonly trace: TraceContext | undefined;
  readonly end: (call: DoorCall, end: ForwardEnd) => void;
}
