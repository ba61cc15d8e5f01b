import { type IServicePort, Server, type WSDL } from 'soap';

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
import { CACHE_RESULT, type HttpResponse, responseHeaders } from '../http/response';
import { resultWriter } from '../results/result-writer';
import { escapeAttribute } from '../xml/xml-characters';
import { ENVELOPE_END, envelopeStart, SOAP11, SOAP12, type SoapVersion } from './soap-fault';

const LAYOUT = { indent: '', newline: '' };

/**
 * Prepares the writer of an operation's SOAP answers (wire contract, section 2.3): everything but the values
 * is put together once.
 *
 * @param dotNetNamespace of the types that are the service's own
 */
export function soapResultWriter(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => HttpResponse {
  const headers = responseHeaders(CACHE_RESULT, version.contentType);
  const open = `${envelopeStart(version)}<${operation.responseElement} xmlns="${escapeAttribute(namespace)}"`;
  const close = `</${operation.responseElement}>${ENVELOPE_END}`;
  const empty = `${open} />${ENVELOPE_END}`;
  const { result: declared } = operation;
  if (declared === undefined) return () => ({ status: 200, headers, body: empty });

  const { name, nillable } = declared;
  const write = resultWriter(
    operation.name,
    declared,
    {
      start: `${open}>`,
      end: close,
      name,
      declarations: { text: '', schemas: '' },
      layout: LAYOUT,
      none: nillable ? `${open}><${name} xsi:nil="true" />${close}` : empty,
    },
    dotNetNamespace,
  );
  return (result) => ({ status: 200, headers, ...write(result) });
}

/** An operation, and what runs it for each binding. */
interface RunOperation {
  readonly contract: OperationContract;
  readonly invoke: Readonly<Record<Binding, OperationHandler>>;
}

/** What a node-soap server knows of its two ports. */
export interface SoapService {
  /** Operation names by action. */
  readonly actions: Readonly<Record<SoapVersion['binding'], ReadonlyMap<string, string>>>;
  /** As the contract has them; over SOAP it is the methods of the service objects that run them. */
  readonly operations: readonly RunOperation[];
}

/**
 * Sets the service objects of a loaded description up, one port per SOAP version.
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
    handler: handlerOf(contract, operation, handlers),
  }));
  const methods = Object.fromEntries(
    handled.map(({ operation, handler }) => [operation.name, serviceMethod(handler)]),
  );
  const ports = { [portName(contract, SOAP11)]: methods, [portName(contract, SOAP12)]: methods };
  const services = { [contract.name]: ports };
  const server = new Server(null, contract.path, services, wsdl, { path: contract.path, services });
  return {
    actions: {
      soap11: actionsOf(wsdl, contract, SOAP11),
      soap12: actionsOf(wsdl, contract, SOAP12),
    },
    operations: handled.map(({ operation, handler }) => ({
      contract: operation,
      invoke: {
        soap11: methodOf(server, contract, SOAP11, operation),
        soap12: methodOf(server, contract, SOAP12, operation),
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

function handlerOf(
  contract: ServiceContract,
  { name }: OperationContract,
  handlers: OperationHandlers,
): OperationHandler {
  const handler = handlers[name];
  // The compiler cannot read the description, by which arguments get their types.
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

function actionsOf(wsdl: WSDL, contract: ServiceContract, version: SoapVersion): ReadonlyMap<string, string> {
  const port = portName(contract, version);
  const operations = wsdl.definitions.services[contract.name]?.ports[port]?.binding.methods ?? {};
  const actions = new Map<string, string>();
  for (const { name } of contract.operations) {
    const action = operations[name]?.soapAction;
    if (action === undefined) throw lackOf(contract, port, name);
    actions.set(action, name);
    // Some proxies were generated from an installation whose action had the slash twice.
    actions.set(soapAction(contract.namespace, `/${name}`), name);
  }
  return actions;
}

function methodOf(
  { services }: Server,
  contract: ServiceContract,
  version: SoapVersion,
  { name }: OperationContract,
): OperationHandler {
  const port = portName(contract, version);
  const method = services[contract.name]?.[port]?.[name];
  if (method === undefined) throw lackOf(contract, port, name);
  // node-soap types its methods' results as any; ours come from an OperationHandler above.
  return (args, call) => method(args, undefined, undefined, call) as Promise<OperationResult>;
}

function lackOf(contract: ServiceContract, port: string, operation: string): ContractError {
  return new ContractError(
    `The service description ${contract.name} cannot be served: its port ${port} lacks the operation ${operation}.`,
  );
}
