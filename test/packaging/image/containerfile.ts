/** A line of a Containerfile: `COPY --from=installed /node /usr/local/bin/node`. */
export interface Instruction {
  /** In capitals: `COPY`. */
  readonly name: string;
  /** Holds the options, which have two dashes: `{ from: 'installed' }`. */
  readonly flags: Readonly<Record<string, string>>;
  /** The rest, with the values of arguments in the place of their names. */
  readonly rest: string;
}

/** A part of a Containerfile that begins with `FROM`. */
export interface Stage {
  readonly base: string;
  /** Others copy from it by this name; empty for none. */
  readonly name: string;
  /** Holds the variables that its commands see. */
  readonly args: Readonly<Record<string, string>>;
  readonly instructions: readonly Instruction[];
}

/**
 * The stages of a Containerfile. Of its language it knows what an image of ours has needed.
 *
 * @param given - values of its arguments; else those count that it names itself
 * @throws Error where something stands before the first stage but an argument
 */
export function stagesOf(text: string, given: Readonly<Record<string, string>>): readonly Stage[] {
  const stages: { base: string; name: string; args: Record<string, string>; instructions: Instruction[] }[] =
    [];
  const global: Record<string, string> = {};
  for (const line of logicalLines(text)) {
    const stage = stages.at(-1);
    const [, name = '', after = ''] = /^(\w+)\s+(.*)$/s.exec(line) ?? [];
    // Those before the first stage are for the bases alone.
    const args = stage === undefined || name === 'FROM' ? global : stage.args;
    if (name === 'ARG') {
      const [arg = '', byDefault] = after.split('=');
      args[arg] = given[arg] ?? byDefault ?? '';
      continue;
    }
    // A command's variables are its shell's to replace.
    const words = name === 'RUN' ? after : after.replace(/\$\{(\w+)\}/g, (_, arg: string) => args[arg] ?? '');
    if (name === 'FROM') {
      const [base = '', , stageName = ''] = words.split(/\s+/);
      stages.push({ base, name: stageName, args: {}, instructions: [] });
    } else if (stage === undefined) throw new Error(`${name} stands before the first FROM`);
    else stage.instructions.push({ name, ...parted(words) });
  }
  return stages;
}

/** Without comments, and with a line that ends in a backslash joined to the next. */
function logicalLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n');
}

function parted(words: string): Pick<Instruction, 'flags' | 'rest'> {
  const flags: Record<string, string> = {};
  let rest = words;
  for (
    let found = /^--([\w-]+)=(\S+)\s+/.exec(rest);
    found !== null;
    found = /^--([\w-]+)=(\S+)\s+/.exec(rest)
  ) {
    flags[found[1] ?? ''] = found[2] ?? '';
    rest = rest.slice(found[0].length);
  }
  return { flags, rest };
}
