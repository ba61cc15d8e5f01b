import { posix } from 'node:path';

import { readRepositoryFile } from '../harness/repository-files';

export interface Link {
  readonly target: string;
  /** The file that a relative link leads to, from the repository's root. */
  readonly path: string;
  /** Holds what follows the number sign; empty for none. */
  readonly anchor: string;
}

/** The text of a document without what stands in fenced blocks. */
export function proseOf(path: string): string {
  return readRepositoryFile(path).replace(/^(```+)[^`\n]*\n.*?^\1$/gms, '');
}

/** The relative links of a document. */
export function relativeLinks(path: string): readonly Link[] {
  const prose = proseOf(path).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^()\s]+)\)|\bhref="([^"]+)"/g)]
    .map(([, target, href = '']) => target ?? href)
    .filter((target) => !/^[a-z]+:/i.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#', 2);
      return { target, path: file === '' ? path : posix.join(posix.dirname(path), file), anchor };
    });
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(path: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...proseOf(path).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${String(before)}`;
  });
}

/** Everything that a document shows as code, in its sentences and in fenced blocks. */
export function codeIn(path: string): readonly string[] {
  const text = readRepositoryFile(path);
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'));
  const spans = [...proseOf(path).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return [...blocks, ...spans];
}
