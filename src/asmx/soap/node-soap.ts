// Not the package's main file, which loads its client as well.
import { Server } from 'soap/lib/server';
import type { IServicePort } from 'soap/lib/types';
import { WSDL } from 'soap/lib/wsdl';

import { soapAction } from '../contract/contract-reader';
import {
  type Binding,
  ContractError,
  type OperationContract,
  type OperationHandler,
  type OperationHandlers,
  type OperationResult,
  type ServiceContract,
} from '../contract/operation';
import { XmlReader } from '../xml/xml-reader';
import { SOAP11, SOAP12, type SoapVersion } from './soap-fault';

/**
 * Loads a service description (WSDL 1.1, document/literal wrapped, as ASP.NET publishes it) into node-soap's
 * model.
 *
 * @throws ContractError when it is not well-formed, or node-soap cannot load it
 */
export function loadDescription(document: string): Promise<WSDL> {
  return new Promise((resolve, reject) => {
    refuseMalformed(document);
    const wsdl = new WSDL(document, '', {});
    wsdl.onReady((error: unknown) => {
      if (error === undefined || error === null) resolve(wsdl);
      else reject(new ContractError(`The service description cannot be loaded: ${errorText(error)}`));
    });
  });
}

// node-soap accepts a truncated document.
function refuseMalformed(document: string): void {
  const ignore = (): void => undefined;
  const reader = new XmlReader({
    startElement: ignore,
    endElement: ignore,
    characters: ignore,
    interruption: ignore,
  });
  try {
    reader.read(document);
  } catch (error) {
    throw new ContractError(`The service description is not well-formed XML: ${errorText(error)}`);
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An operation, with the function that runs it for each binding. */
interface RunOperation {
  readonly contract: OperationContract;
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
}

/** Contents of a node-soap server's two ports. */
export interface SoapService {
  /** Operation names by action. */
  readonly actions: Readonly<Record<SoapVersion['binding'], ReadonlyMap<string, string>>>;
  /** Operations as in the contract; over SOAP the methods of the service objects run them. */
  readonly operations: readonly RunOperation[];
}

/**
 * Sets up the service objects of a loaded description, one port per SOAP version.
 *
 * Only the server's service objects and its model of the description are used. Its listener, XML reader and
 * XML writer never see a request: one attribute `id="__proto__"` would break every later request of the
 * process, a bad gzip body would end it, and neither envelope nor namespaces are checked (soap 1.13). Calling
 * the methods directly also halves the CPU that `processRequest` needs.
 *
 * @throws ContractError when an operation has no handler or a SOAP port lacks it
 */
export function openSoapService(
  wsdl: WSDL,
  contract: ServiceContract,
  handlers: OperationHandlers,
): SoapService {
  const handled = contract.operations.map((operation) => ({
    operation,
    handler: findHandler(contract, operation, handlers),
  }));
  const methods = Object.fromEntries(
    handled.map(({ operation, handler }) => [operation.name, serviceMethod(handler)]),
  );
  const ports = { [portName(contract, SOAP11)]: methods, [portName(contract, SOAP12)]: methods };
  const services = { [contract.name]: ports };
  const server = new Server(null, contract.path, services, wsdl, { path: contract.path, services });
  return {
    actions: {
      soap11: readActions(wsdl, contract, SOAP11),
      soap12: readActions(wsdl, contract, SOAP12),
    },
    operations: handled.map(({ operation, handler }) => ({
      contract: operation,
      invoke: {
        soap11: findMethod(server, contract, SOAP11, operation),
        soap12: findMethod(server, contract, SOAP12, operation),
        get: handler,
        post: handler,
      },
    })),
  };
}

// ASP.NET's names: the service's, then Soap or Soap12 (wire contract, section 8.1).
function portName(contract: ServiceContract, version: SoapVersion): string {
  return `${contract.name}${version === SOAP11 ? 'Soap' : 'Soap12'}`;
}

function findHandler(
  contract: ServiceContract,
  { name }: OperationContract,
  handlers: OperationHandlers,
): OperationHandler {
  const handler = handlers[name];
  // The argument types come from the description, which the compiler cannot read.
  if (handler !== undefined) return handler as OperationHandler;
  throw new ContractError(
    `The service description ${contract.name} has the operation ${name}, which has no handler.`,
  );
}

function serviceMethod(handler: OperationHandler): IServicePort[string] {
  return (
    args: Parameters<OperationHandler>[0],
    _callback,
    _headers,
    call: Parameters<OperationHandler>[1],
  ) => handler(args, call);
}

function readActions(
  wsdl: WSDL,
  contract: ServiceContract,
  version: SoapVersion,
): ReadonlyMap<string, string> {
  const port = portName(contract, version);
  const operations = wsdl.definitions.services[contract.name]?.ports[port]?.binding.methods ?? {};
  const actions = new Map<string, string>();
  for (const { name } of contract.operations) {
    const action = operations[name]?.soapAction;
    if (action === undefined) throw missingOperation(contract, port, name);
    actions.set(action, name);
    // Some proxies were generated from an installation whose action had two slashes.
    actions.set(soapAction(contract.namespace, `/${name}`), name);
  }
  return actions;
}

function findMethod(
  { services }: Server,
  contract: ServiceContract,
  version: SoapVersion,
  { name }: OperationContract,
): OperationHandler {
  const port = portName(contract, version);
  const method = services[contract.name]?.[port]?.[name];
  if (method === undefined) throw missingOperation(contract, port, name);
  // node-soap types its methods' results as any; these come from an OperationHandler above.
  return (args, call) => method(args, undefined, undefined, call) as Promise<OperationResult>;
}

function missingOperation(contract: ServiceContract, port: string, operation: string): ContractError {
  return new ContractError(
    `The service description ${contract.name} cannot be served: its port ${port} lacks the operation ${operation}.`,
  );
}
