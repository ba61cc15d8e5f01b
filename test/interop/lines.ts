import { mkdtempSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { ENDPOINT_NAMES, exchange, PACKAGE_ROOT } from '../../scripts/harness';
import { markupOf, plain } from '../asmx/documents/read-page';
import { type DescribedOperation, OPERATIONS } from '../harness/contract-operations';
import type { Client } from './client';
import { dotnet, runLines } from './clients/dotnet';
import { php, PYTHON, zeep } from './clients/interpreted';
import { compileCSharp } from './clients/mono';
import { monoWsdl } from './clients/mono-wsdl';
import { nodeSoap } from './clients/node-soap';
import { classPath, wsimport } from './clients/wsimport';
import { missingFor } from './missing';
import type { Report } from './report';
import { runCommand } from './run-command';
import { withService, type Workplace } from './school';

/** Column of the table that these checks stand in. */
export const LINES = 'lines of the pages';

/** The lines of one platform for one operation, as its page shows them. */
interface ShownLines {
  readonly operation: DescribedOperation;
  /** Undefined where the description is read when the program runs. */
  readonly proxy: string | undefined;
  readonly call: string;
}

interface Place {
  /** Address of the service. */
  readonly address: string;
  /** Folder to work in. */
  readonly folder: string;
}

interface Platform {
  /** The boxes of the pages have this id. */
  readonly id: string;
  /** The client that is of its stack. */
  readonly client: Client | undefined;
  /** Runs lines; they have failed together where it throws. */
  readonly run: (shown: readonly ShownLines[], place: Place) => Promise<void>;
  /** True if each line is a program of its own. */
  readonly isOfLines?: boolean;
}

const PLATFORMS: readonly Platform[] = [
  {
    id: 'dotnet',
    client: dotnet[0],
    // The proxies are of the shape of those that the line of the proxy makes: NuGet does not give us its program.
    run: (shown, { address, folder }) =>
      runLines(
        address,
        folder,
        shown.map(({ call }) => call),
      ),
  },
  {
    id: 'dotnet-framework',
    client: monoWsdl,
    run: async (shown, { folder }) => {
      await runProxies(shown, folder);
      writeFileSync(
        join(folder, 'Lines.cs'),
        `public static class Lines { public static void Main() {\n${blocksOf(shown)}\n}}`,
      );
      const sources = ['Lines.cs', ...ENDPOINT_NAMES.map((endpoint) => `${endpoint}.cs`)];
      const references = ['System.Web.Services', 'System.EnterpriseServices', 'System.Xml'];
      await compileCSharp(folder, 'lines.exe', sources, references);
      await runCommand('mono', ['lines.exe'], { folder });
    },
  },
  {
    id: 'wsimport',
    client: wsimport,
    run: async (shown, { folder }) => {
      await runProxies(shown, folder);
      const body = `public static void main(String[] arguments) throws Exception {\n${blocksOf(shown)}\n}`;
      writeFileSync(join(folder, 'Lines.java'), `public final class Lines {\n${body}\n}`);
      await runCommand('javac', ['-cp', classPath(folder), '-d', folder, 'Lines.java'], { folder });
      await runCommand('java', ['-cp', classPath(folder), 'Lines'], { folder });
    },
  },
  { id: 'php', client: php, isOfLines: true, run: inShell(PACKAGE_ROOT) },
  {
    id: 'python',
    client: zeep,
    isOfLines: true,
    run: inShell(PACKAGE_ROOT, { PATH: [dirname(PYTHON), process.env['PATH']].join(delimiter) }),
  },
  // The package is there for who is in the checkout.
  { id: 'node', client: nodeSoap, isOfLines: true, run: inShell(PACKAGE_ROOT) },
];

/**
 * Runs the lines that the pages show for programs, as they stand, against a service with the sample school: the values in
 * them are good there.
 *
 * @param chosen - clients whose stacks are tried
 */
export async function tryLines(
  chosen: readonly Client[],
  { folder: parent, schools }: Workplace,
  report: Report,
): Promise<void> {
  for (const platform of PLATFORMS) {
    const { client, id } = platform;
    if (client?.stack === undefined || !chosen.includes(client)) continue;
    if ((await missingFor(client)).length > 0) continue; // Its calls are skipped, and say so.
    const { name } = client.stack;
    // One each: a phone gets no more than some codes an hour.
    await withService(parent, schools, {}, async ({ address, process: { port } }) => {
      const shown = await Promise.all(OPERATIONS.map((operation) => linesOf(operation, id, port)));
      const parts = platform.isOfLines === true ? shown.map((line) => [line]) : [shown];
      for (const lines of parts) {
        const folder = mkdtempSync(join(parent, `lines-${id}-`));
        const reason = await failureOf(platform.run(lines, { address, folder }));
        const verdict = reason === undefined ? 'passed' : 'failed';
        for (const { operation } of lines) {
          report.add({ client: name, column: LINES, what: operation.name, verdict, reason });
        }
      }
    });
  }
}

async function linesOf(operation: DescribedOperation, id: string, port: number): Promise<ShownLines> {
  const page = await pageOf(operation, port, `localhost:${String(port)}`);
  const has = page.text.includes(`id="${id}-proxy"`);
  return {
    operation,
    proxy: has ? plain(markupOf(page, `${id}-proxy`)) : undefined,
    call: plain(markupOf(page, `${id}-call`)),
  };
}

function pageOf({ endpoint, name }: DescribedOperation, port: number, host: string) {
  return exchange(port, { path: `/${endpoint}.asmx?op=${name}`, headers: [['Host', host]] });
}

function inShell(folder: string, environment: Readonly<Record<string, string>> = {}): Platform['run'] {
  return async (shown) => {
    for (const { call } of shown) await runCommand('/bin/sh', ['-c', call], { folder, environment });
  };
}

/** Makes the proxies of all endpoints, each once, as the pages say. */
async function runProxies(shown: readonly ShownLines[], folder: string): Promise<void> {
  for (const line of new Set(shown.map(({ proxy = '' }) => proxy))) {
    await runCommand('/bin/sh', ['-c', line], { folder });
  }
}

/** Statements of C# or Java; each has names of its own. */
function blocksOf(shown: readonly ShownLines[]): string {
  return shown.map(({ call }) => `{ ${call} }`).join('\n');
}

async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
