/** A block of commands of a page. */
export interface Block {
  /** Where its first command stands: `docs/first-hour.md:31`. */
  readonly place: string;
  /** Holds what a shell runs, without the indentation of the list that it stands in. */
  readonly script: string;
}

const FENCE = /^(?<indent>[ \t]*)```(?<language>\w*)$/;

/**
 * The blocks of a page that are for a shell (` ```sh `), in their order.
 *
 * @param path - as the places name it
 */
export function shellBlocks(path: string, markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly indent: string; readonly isShell: boolean; readonly at: number } | undefined;
  let lines: string[] = [];
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = FENCE.exec(line)?.groups;
    if (open === undefined) {
      if (fence === undefined) continue;
      open = { indent: fence['indent'] ?? '', isShell: fence['language'] === 'sh', at: index + 2 };
      lines = [];
    } else if (fence?.['language'] === '') {
      if (open.isShell) blocks.push({ place: `${path}:${String(open.at)}`, script: lines.join('\n') });
      open = undefined;
    } else lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line);
  }
  return blocks;
}
