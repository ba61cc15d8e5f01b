import { Server, WSDL, type IServicePort, type IServices } from 'soap';
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
 * Loads a service description into node-soap and sets its service objects up, one port per SOAP version.
 *
 * Only the server's service objects and its model of the description are used. Its listener, XML reader and
 * XML writer never see a request: one attribute `id="__proto__"` would break every later request of the
 * process, a bad gzip body would end it, and neither envelope nor namespaces are checked (soap 1.13). Calling
 * the methods directly also halves the CPU that `processRequest` needs.
 *
 * @param document the description in the installation's namespace
 * @throws ContractError when node-soap cannot load it or a SOAP port lacks an operation
 */
export async function openSoapService(
  document: string,
  contract: ServiceContract,
  handlers: Readonly<Record<string, OperationHandler>>,
): Promise<SoapService> {
  const methods = Object.fromEntries(
    contract.operations.map(({ name }) => [name, serviceMethod(contract, name, handlers[name])]),
  );
  const ports = { [portName(contract, SOAP11)]: methods, [portName(contract, SOAP12)]: methods };
  const { server, wsdl } = await startServer(document, contract, { [contract.name]: ports });
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

// A WSDL object tells one listener only that it is loaded: the server's.
function startServer(
  document: string,
  contract: ServiceContract,
  services: IServices,
): Promise<{ readonly server: Server; readonly wsdl: WSDL }> {
  return new Promise((resolve, reject) => {
    const { path, name } = contract;
    const wsdl = new WSDL(document, path, {});
    const server = new Server(null, path, services, wsdl, {
      path,
      services,
      callback: (error: unknown) => {
        if (error instanceof Error) {
          reject(new ContractError(`The service description ${name} cannot be loaded: ${error.message}`));
        } else resolve({ server, wsdl });
      },
    });
  });
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
