import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { DescribedOperation } from '../../harness/contract-operations';
import { type Arguments, BrokenCall, type Caller } from '../client';
import { NOTHING, type Outcome } from '../outcome';

type Field = string | null;

/**
 * A client program in another language. It reads one call per line and writes one outcome per line, fields
 * separated by tabs; a text is `=` and its percent-encoded UTF-8, null is `-`.
 */
export class ProgramCaller implements Caller {
  readonly #child: ChildProcess;
  readonly #input: NodeJS.WritableStream;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #errors = '';

  /** @param environment - variables beside those of this process */
  constructor(command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, ...environment };
    this.#child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = this.#child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('The program has no pipes');
    this.#input = stdin;
    // A program that has ended takes no more calls; its missing answer says so.
    stdin.on('error', () => undefined);
    stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#lines = createInterface(stdout)[Symbol.asyncIterator]();
    this.#ended = once(this.#child, 'close');
  }

  async call({ name }: DescribedOperation, args: Arguments): Promise<Outcome> {
    this.#input.write(`${[name, ...args.map(writeField)].join('\t')}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`The program ended. ${this.#errors}`);
    return readOutcome(line.value);
  }

  async close(): Promise<void> {
    // Answers that a proxy left open may keep the program from ending by itself.
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

function writeField(value: Field): string {
  return value === null ? '-' : `=${encodeURIComponent(value)}`;
}

function readField(field: string): Field {
  return field === '-' ? null : decodeURIComponent(field.slice(1));
}

function readOutcome(line: string): Outcome {
  const [kind, ...encoded] = line.split('\t');
  const fields = encoded.map(readField);
  switch (kind) {
    case 'nothing':
      return NOTHING;
    case 'text':
      return { kind, text: fields[0] ?? null };
    case 'students':
      return {
        kind,
        students: Array.from({ length: fields.length / 4 }, (_, row) => fields.slice(row * 4, row * 4 + 4)),
      };
    case 'fault':
      return {
        kind,
        type: fields[0] ?? '',
        code: fields[1] ?? '',
        text: fields[2] ?? '',
        detail: fields[3] ?? null,
      };
    case 'broken':
      throw new BrokenCall(fields[0] ?? '', fields[1] ?? '', fields[2] ?? '');
    default:
      throw new Error(line);
  }
}
