import { mkdtempSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { ENDPOINT_NAMES, exchange, readDescription } from '../../../scripts/harness';
import { compileCSharp, PROGRAMS } from '../clients/mono';
import { firstDifference } from '../first-difference';
import type { Report } from '../report';
import { findCommand, runCommand } from '../run-command';
import { type StartedService, withService, type Workplace } from '../school';
import { startTlsProxy } from './tls-proxy';

/** Column of the table that these checks stand in. */
export const DESCRIPTIONS = 'descriptions';

type Settings = Readonly<Record<string, string>>;

/** Looks for what is wrong with a published description; undefined for nothing. */
type Check = (endpoint: string) => Promise<string | undefined>;

interface Examination {
  readonly name: string;
  readonly tools: readonly string[];
  readonly settings: Settings;
  /** Prepares the check of the five descriptions, runs it, and cleans up. */
  readonly run: (
    service: StartedService,
    folder: string,
    forEach: (check: Check) => Promise<void>,
  ) => Promise<void>;
}

/** A namespace without a slash at its end: the actions get one all the same. */
const OWN_NAMESPACE = 'urn:okul:bildirim';

const EXAMINATIONS: readonly Examination[] = [
  sameAsFiles('same as wsdl/', {}),
  sameAsFiles('same as wsdl/, SERVICE_NAMESPACE set', { SERVICE_NAMESPACE: OWN_NAMESPACE }),
  sameAsFiles('same as wsdl/, BASE_URL set', { BASE_URL: 'https://okul.example/bildirim' }),
  conforms('WS-I Basic Profile 1.1', {}),
  conforms('WS-I Basic Profile 1.1, SERVICE_NAMESPACE set', { SERVICE_NAMESPACE: OWN_NAMESPACE }),
  {
    name: 'addresses behind a proxy that ends TLS',
    tools: [],
    settings: { TRUST_PROXY: '127.0.0.1,::1' },
    run: async ({ address }, _folder, forEach) => {
      const proxy = await startTlsProxy(address);
      try {
        await forEach(async (endpoint) => {
          const published = await getOverTls(`${proxy.address}/${endpoint}.asmx?WSDL`, proxy.issuer);
          return firstDifference(expectedDescription(endpoint, proxy.address), published);
        });
      } finally {
        await proxy.close();
      }
    },
  },
  {
    name: 'forwarded headers of a stranger',
    tools: [],
    settings: {},
    run: ({ process: service }, _folder, forEach) =>
      forEach(async (endpoint) => {
        const host = `localhost:${String(service.port)}`;
        const headers = [
          ['Host', host],
          ['X-Forwarded-Proto', 'https'],
          ['X-Forwarded-Host', 'stranger.example'],
        ] as const;
        const { text: published } = await service.ask({ path: `/${endpoint}.asmx?WSDL`, headers });
        return firstDifference(expectedDescription(endpoint, `http://${host}`), published);
      }),
  },
];

export async function examineDescriptions({ folder, schools }: Workplace, report: Report): Promise<void> {
  for (const { name, tools, settings, run } of EXAMINATIONS) {
    const add = (what: string, verdict: 'passed' | 'failed' | 'skipped', reason?: string): void => {
      report.add({ client: name, column: DESCRIPTIONS, what, verdict, reason });
    };
    const missing = tools.filter((tool) => findCommand(tool) === undefined);
    if (missing.length > 0) {
      for (const endpoint of ENDPOINT_NAMES) add(endpoint, 'skipped', `needs ${missing.join(', ')}`);
      continue;
    }
    try {
      await withService(folder, schools, settings, async (service) => {
        await run(service, mkdtempSync(join(folder, 'descriptions-')), async (check) => {
          for (const endpoint of ENDPOINT_NAMES) {
            const reason = await check(endpoint);
            add(endpoint, reason === undefined ? 'passed' : 'failed', reason);
          }
        });
      });
    } catch (error) {
      add('the check and the service', 'failed', error instanceof Error ? error.message : String(error));
    }
  }
}

function sameAsFiles(name: string, settings: Settings): Examination {
  return {
    name,
    tools: [],
    settings,
    run: ({ process: { port }, address }, _folder, forEach) =>
      forEach(async (endpoint) => {
        const headers = [['Host', new URL(address).host]] as const;
        const { text: published } = await exchange(port, { path: `/${endpoint}.asmx?WSDL`, headers });
        const base = settings['BASE_URL'] ?? address;
        return firstDifference(expectedDescription(endpoint, base, settings['SERVICE_NAMESPACE']), published);
      }),
  };
}

function conforms(name: string, settings: Settings): Examination {
  return {
    name,
    tools: ['mcs', 'mono'],
    settings,
    run: async ({ address }, folder, forEach) => {
      const source = join(PROGRAMS, 'CheckConformance.cs');
      await compileCSharp(folder, 'check.exe', [source], ['System.Web.Services', 'System.Xml']);
      await forEach(async (endpoint) => {
        try {
          await runCommand('mono', ['check.exe', `${address}/${endpoint}.asmx?WSDL`], { folder });
          return undefined;
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      });
    },
  };
}

/** The file's text under another address, and in another namespace. */
function expectedDescription(endpoint: string, base: string, namespace?: string): string {
  const file = readDescription(endpoint).replaceAll(
    `"http://localhost/${endpoint}.asmx"`,
    `"${base}/${endpoint}.asmx"`,
  );
  if (namespace === undefined) return file;
  return file
    .replaceAll('soapAction="http://tempuri.org/', `soapAction="${namespace}/`)
    .replaceAll('"http://tempuri.org/"', `"${namespace}"`);
}

function getOverTls(url: string, issuer: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca: issuer }, (response) => {
      text(response).then(resolve, reject);
    }).on('error', reject);
  });
}
