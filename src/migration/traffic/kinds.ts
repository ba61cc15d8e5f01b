import { COMBINED_LINE, readCombinedLog } from './combined-log';
import { GOREPLAY_META, readGoReplay } from './goreplay';
import { readHar } from './har';
import { readOwnLines } from './own-lines';
import type { Reader } from './reader';
import { readW3cLog } from './w3c-log';

/** How many bytes of a file its kind is told by, unless its first line is longer. */
export const BEGINNING_BYTES = 4096;

interface Kind {
  readonly reader: Reader;
  /** Whether a file that begins so is one. */
  readonly begins: (text: string) => boolean;
}

/** In the order in which they are tried. */
const KINDS = {
  har: { reader: readHar, begins: (text) => /^\s*\{\s*"log"\s*:/.test(text) },
  lines: { reader: readOwnLines, begins: (text) => /^\s*\{\s*"/.test(text) },
  goreplay: { reader: readGoReplay, begins: (text) => GOREPLAY_META.test(firstLine(text)) },
  iis: { reader: readW3cLog, begins: (text) => /^#(Software|Version|Date|Fields|Remark)\b/i.test(text) },
  combined: { reader: readCombinedLog, begins: (text) => COMBINED_LINE.test(firstLine(text)) },
} as const satisfies Readonly<Record<string, Kind>>;

export type TrafficKind = keyof typeof KINDS;

export const TRAFFIC_KINDS = Object.keys(KINDS) as readonly TrafficKind[];

/** @returns the kind of a file by its beginning, undefined where it is none of them */
export function kindOf(beginning: Buffer): TrafficKind | undefined {
  const text = beginning.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '');
  return TRAFFIC_KINDS.find((kind) => KINDS[kind].begins(text));
}

export function readerOf(kind: TrafficKind): Reader {
  return KINDS[kind].reader;
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? '';
}
