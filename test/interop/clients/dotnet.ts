import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ENDPOINT_NAMES } from '../../../scripts/harness';
import type { Binding } from '../../../src/asmx';
import type { Client, ClientBinding, SoapBinding } from '../client';
import { runCommand } from '../run-command';
import { minorOf, versionOf } from '../versions';
import { PROGRAMS } from './mono';
import { ProgramCaller } from './program-caller';
import { wcfFault } from './soap-fault-code';

/** How a proxy turns messages into XML; each is generated from the document that the query asks for. */
const SERIALIZERS = [
  { name: 'DataContract', title: 'data contracts', query: 'WSDL' },
  { name: 'XmlSerializer', title: 'XmlSerializer', query: 'singleWsdl' },
] as const;
type Serializer = (typeof SERIALIZERS)[number];

const SOAP: readonly SoapBinding[] = ['soap11', 'soap12'];
/** Names bindings as the program does. */
const BINDINGS: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP11',
  soap12: 'SOAP12',
  get: 'GET',
  post: 'POST',
};

/** Folder of the program; built once, for it takes half a minute on a busy machine. */
let built: Promise<string> | undefined;

/**
 * .NET of today: System.ServiceModel, by proxies of the shape of dotnet-svcutil's (see docs/integrate-a-client.md), and
 * HttpClient.
 */
export const dotnet: readonly Client[] = [
  ...SERIALIZERS.flatMap((serializer) => [wcf(serializer), wcf(serializer, 'asynchronous')]),
  wcf(SERIALIZERS[0], 'chunked'),
  httpClient(['get', 'post']),
  httpClient(['get', 'post'], 'compression offered'),
  httpClient(['post'], 'chunked'),
  httpClient(['post'], 'Expect: 100-continue'),
];

function wcf(serializer: Serializer, ...manners: readonly string[]): Client {
  return {
    ...client(`WCF, ${serializer.title}`, manners, wcfVersions),
    bindings: SOAP.map((name) => ({
      ...called(name, [serializer.name, ...manners]),
      fault: wcfFault(name),
    })),
  };
}

function httpClient(bindings: readonly Binding[], ...manners: readonly string[]): Client {
  return {
    ...client('HttpClient', manners, dotnetVersion),
    bindings: bindings.map((name) => ({
      ...called(name, manners),
      fault: (text) => ({
        kind: 'fault',
        type: 'System.Net.Http.HttpRequestException',
        code: '500',
        text: 'Response status code does not indicate success: 500 (Internal Server Error).',
        detail: `${text}\r\n`,
      }),
    })),
  };
}

function client(
  name: string,
  manners: readonly string[],
  versions: () => Promise<string>,
): Omit<Client, 'bindings'> {
  return {
    name: ['.NET', name, ...manners].join(', '),
    stack: { name, title: async () => `${name}, ${await versions()}` },
    ...(manners.length === 0 ? {} : { manner: manners.join(', ') }),
    tools: ['dotnet'],
    prepare: async (address, folder) => {
      built ??= build(address, folder);
      await built;
    },
  };
}

function called(name: Binding, args: readonly string[]): Omit<ClientBinding, 'fault'> {
  return {
    name,
    leavesOut: true,
    open: async (address, _folder, environment) => {
      if (built === undefined) throw new Error('The program is not built');
      const program = join(await built, 'out', 'Calls.dll');
      return new ProgramCaller('dotnet', [program, address, BINDINGS[name], ...args], environment);
    },
  };
}

/** Generates the proxies and compiles the program; NuGet brings the packages, from its cache or its registry. */
async function build(address: string, parent: string): Promise<string> {
  const folder = copyProject(parent, 'calls');
  cpSync(join(PROGRAMS, 'CallLoop.cs'), join(folder, 'CallLoop.cs'));
  await writeProxies(address, folder, SERIALIZERS);
  await compile(folder);
  return folder;
}

/**
 * Runs lines of C# that call through the proxies for data contracts, whose addresses are those of the descriptions.
 *
 * @param address - of the service
 * @param parent - folder to work in
 * @throws Error with what the compiler or the program says where one of them does not end well
 */
export async function runLines(address: string, parent: string, lines: readonly string[]): Promise<void> {
  const folder = copyProject(parent, 'lines');
  cpSync(join(PROGRAMS, 'dotnet', 'calls', 'Bindings.cs'), join(folder, 'Bindings.cs'));
  const [dataContracts] = SERIALIZERS;
  await writeProxies(address, folder, [dataContracts]);
  const blocks = lines.map((line) => `{ ${line} }`).join('\n');
  const program = `public static class Lines { public static async System.Threading.Tasks.Task Main() {\n${blocks}\n}}`;
  // In their namespace the proxies are called as those that dotnet-svcutil makes.
  writeFileSync(join(folder, 'Lines.cs'), `namespace ${dataContracts.name} {\n${program}\n}\n`);
  await compile(folder);
  await runCommand('dotnet', [join('out', 'Lines.dll')], { folder });
}

/** Folder of the program that generates proxies; built once. */
let writer: Promise<string> | undefined;

async function writeProxies(
  address: string,
  folder: string,
  serializers: readonly Serializer[],
): Promise<void> {
  writer ??= compile(copyProject(folder, 'write-proxies'));
  const program = join(await writer, 'out', 'WriteProxies.dll');
  mkdirSync(join(folder, 'proxies'));
  for (const { name, query } of serializers) {
    const descriptions = ENDPOINT_NAMES.map((endpoint) => `${address}/${endpoint}.asmx?${query}`);
    await runCommand('dotnet', [program, name, 'proxies', ...descriptions], { folder });
  }
}

function copyProject(parent: string, name: string): string {
  const folder = mkdtempSync(join(parent, `${name}-`));
  cpSync(join(PROGRAMS, 'dotnet', name), folder, { recursive: true });
  return folder;
}

/** Compiles the project of a folder into `out`. */
export async function compile(folder: string): Promise<string> {
  await runCommand('dotnet', ['build', '--nologo', '--configuration', 'Release', '--output', 'out'], {
    folder,
  });
  return folder;
}

async function dotnetVersion(): Promise<string> {
  return `.NET ${await versionOf('dotnet', '--version')}`;
}

async function wcfVersions(): Promise<string> {
  const project = readFileSync(join(PROGRAMS, 'dotnet', 'calls', 'Calls.csproj'), 'utf8');
  const [, version = ''] = /"System\.ServiceModel\.Http" Version="([^"]*)"/.exec(project) ?? [];
  return `System.ServiceModel ${minorOf(version)}, ${await dotnetVersion()}`;
}
