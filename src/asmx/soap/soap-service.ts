import { type IServicePort, Server, type WSDL } from 'soap';
import {
  ContractError,
  type OperationHandler,
  type OperationResult,
  type ServiceContract,
  soapAction,
} from '../contract';
import { SOAP11, SOAP12, type SoapVersion } from './soap-version';

/** One port of a node-soap server: the actions of its binding and the methods of its service object. */
export interface SoapPort {
  /** Operation names by action. */
  readonly actions: ReadonlyMap<string, string>;
  readonly methods: ReadonlyMap<string, OperationHandler>;
}

/** A node-soap server's two ports. */
export type SoapService = Readonly<Record<SoapVersion['binding'], SoapPort>>;

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
  handlers: Readonly<Record<string, OperationHandler>>,
): SoapService {
  const methods = Object.fromEntries(
    contract.operations.map(({ name }) => [name, serviceMethod(contract, name, handlers[name])]),
  );
  const ports = { [portName(contract, SOAP11)]: methods, [portName(contract, SOAP12)]: methods };
  const services = { [contract.name]: ports };
  const server = new Server(null, contract.path, services, wsdl, { path: contract.path, services });
  return {
    soap11: openPort(server, wsdl, contract, SOAP11),
    soap12: openPort(server, wsdl, contract, SOAP12),
  };
}

// ASP.NET's names: the service's, then Soap or Soap12 (wire contract, section 8.1).
function portName(contract: ServiceContract, version: SoapVersion): string {
  return `${contract.name}${version === SOAP11 ? 'Soap' : 'Soap12'}`;
}

function serviceMethod(
  contract: ServiceContract,
  name: string,
  handler: OperationHandler | undefined,
): IServicePort[string] {
  if (handler === undefined) {
    throw new ContractError(
      `The service description ${contract.name} has the operation ${name}, which has no handler.`,
    );
  }
  return (
    args: Parameters<OperationHandler>[0],
    _callback,
    _headers,
    call: Parameters<OperationHandler>[1],
  ) => handler(args, call);
}

function openPort(server: Server, wsdl: WSDL, contract: ServiceContract, version: SoapVersion): SoapPort {
  const name = portName(contract, version);
  const operations = wsdl.definitions.services[contract.name]?.ports[name]?.binding.methods ?? {};
  const actions = new Map<string, string>();
  const methods = new Map<string, OperationHandler>();
  for (const operation of contract.operations) {
    const method = server.services[contract.name]?.[name]?.[operation.name];
    const action = operations[operation.name]?.soapAction;
    if (method === undefined || action === undefined) {
      throw new ContractError(
        `The service description ${contract.name} cannot be served: its port ${name} lacks the operation ${operation.name}.`,
      );
    }
    actions.set(action, operation.name);
    // Some proxies were generated from an installation whose action had the slash twice.
    actions.set(soapAction(contract.namespace, `/${operation.name}`), operation.name);
    // node-soap types its methods' results as any; ours come from an OperationHandler above.
    methods.set(
      operation.name,
      (args, call) => method(args, undefined, undefined, call) as Promise<OperationResult>,
    );
  }
  return { actions, methods };
}
