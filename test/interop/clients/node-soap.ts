import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { createClientAsync, type IOptions } from 'soap';

import { ENDPOINT_NAMES, PACKAGE_ROOT } from '../../../scripts/harness';
import type { DescribedOperation } from '../../harness/contract-operations';
import {
  type Arguments,
  BrokenCall,
  type Caller,
  type Client,
  type ClientBinding,
  type SoapBinding,
} from '../client';
import { type Fault, NOTHING, type Outcome } from '../outcome';
import { minorOf } from '../versions';

interface Version {
  readonly binding: SoapBinding;
  /** The name of the port ends in this. */
  readonly port: string;
  readonly options: IOptions;
  readonly faultCode: string;
  /** An empty one. */
  readonly detail: Fault['detail'];
}

export const VERSIONS: readonly Version[] = [
  { binding: 'soap11', port: 'Soap', options: {}, faultCode: 'soap:Client', detail: '' },
  {
    binding: 'soap12',
    port: 'Soap12',
    options: { forceSoap12Headers: true },
    faultCode: 'soap:Sender',
    detail: null,
  },
];

/** The client of the npm package `soap`, which builds its calls from the description at run time. */
export const nodeSoap: Client = {
  name: 'node-soap',
  stack: {
    name: 'node-soap',
    title: () => {
      const manifest = join(PACKAGE_ROOT, 'node_modules', 'soap', 'package.json');
      const [line] = /"version": .*/.exec(readFileSync(manifest, 'utf8')) ?? [''];
      return Promise.resolve(`node-soap ${minorOf(line)}`);
    },
  },
  tools: [],
  bindings: VERSIONS.map((version): ClientBinding => ({
    name: version.binding,
    leavesOut: true,
    fault: (text) => ({
      kind: 'fault',
      type: 'Error',
      code: version.faultCode,
      text,
      detail: version.detail,
    }),
    open: (address, _folder, _environment, descriptions = address) =>
      openCaller(address, version, descriptions),
  })),
};

/** Calls an installation with a namespace of its own. */
export const nodeSoapInOwnNamespace: Client = {
  ...nodeSoap,
  name: 'node-soap, SERVICE_NAMESPACE set',
  manner: '`SERVICE_NAMESPACE` set',
  settings: { SERVICE_NAMESPACE: 'urn:okul:bildirim' },
};

type Method = (args: object, callback: (error: unknown, result: unknown) => void) => void;

async function openCaller(address: string, version: Version, descriptions: string): Promise<Caller> {
  const options = { ...version.options, disableCache: true };
  const opened = await Promise.all(
    ENDPOINT_NAMES.map(async (endpoint) => {
      const client = await createClientAsync(`${descriptions}/${endpoint}.asmx?WSDL`, options);
      client.setEndpoint(`${address}/${endpoint}.asmx`);
      return [endpoint, at(client, endpoint, `${endpoint}${version.port}`)] as const;
    }),
  );
  const ports = new Map(opened);
  return {
    call: (operation, args) => {
      // The package makes a port's methods from the description; its types know none of them.
      const method = at(ports.get(operation.endpoint), operation.name) as Method;
      return new Promise((resolve, reject) => {
        method(namedArguments(operation, args), (error, result) => {
          if (error === null) resolve(outcomeOf(operation, result));
          else settleError(error, resolve, reject);
        });
      });
    },
    close: () => Promise.resolve(),
  };
}

/** An argument that is undefined is left out; a character goes as its number, as its type says. */
function namedArguments({ parameters }: DescribedOperation, args: Arguments): object {
  return Object.fromEntries(
    parameters.map(({ name, type }, index) => {
      const value = args[index] ?? undefined;
      return [name, type.name === 'char' ? value?.charCodeAt(0) : value];
    }),
  );
}

function outcomeOf(operation: DescribedOperation, result: unknown): Outcome {
  const value = at(result, `${operation.name}Result`);
  if (operation.result === undefined) {
    if (result !== null) throw new Error(`A result where there is none: ${JSON.stringify(result)}`);
    return NOTHING;
  }
  if (operation.result.type.kind !== 'list') return { kind: 'text', text: textOf(value) };
  // The package reads an element without content as null, an empty list therefore too.
  const list = at(value, 'StudentInfo') ?? [];
  if (!Array.isArray(list)) throw new Error(`No list: ${JSON.stringify(value)}`);
  const fields = ['id_student', 'fullName', 'id_device', 'ShowActive'];
  return {
    kind: 'students',
    students: list.map((student: unknown) => fields.map((field) => textOf(at(student, field)))),
  };
}

function settleError(
  error: unknown,
  resolve: (outcome: Fault) => void,
  reject: (error: Error) => void,
): void {
  if (!(error instanceof Error)) throw new TypeError('The package threw something that is no Error');
  const fault = at(error, 'root', 'Envelope', 'Body', 'Fault');
  const code = at(fault, 'faultcode') ?? at(fault, 'Code', 'Value');
  const text = at(fault, 'faultstring') ?? at(fault, 'Reason', 'Text', '$value');
  const detail = at(fault, 'detail') ?? at(fault, 'Detail');
  if (typeof code !== 'string' || typeof text !== 'string')
    reject(new BrokenCall(error.name, error.message, String(error)));
  else resolve({ kind: 'fault', type: error.name, code, text, detail: textOf(detail) });
}

/** Returns what lies at a path inside a value, or undefined. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, key) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[key] : undefined,
    value,
  );
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new Error(`No text: ${JSON.stringify(value)}`);
  return value;
}
