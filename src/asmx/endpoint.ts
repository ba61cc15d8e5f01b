import {
  ContractError,
  type OperationContract,
  type OperationHandler,
  readContract,
  type ServiceContract,
  ServiceDescription,
  withNamespace,
} from './contract';
import {
  type EnvelopeReader,
  openSoapService,
  SOAP11,
  SOAP12,
  SoapBinding,
  soapResultWriter,
  type SoapService,
} from './soap';
import { formResultWriter } from './form';
import type { ServedOperation } from './results';

/** One service description and the handlers of its operations. */
export interface EndpointDefinition {
  /** Text of the WSDL document; its addresses give the endpoint's path. */
  readonly description: string;
  /** Handlers by operation name: exactly the operations of the description. */
  readonly handlers: Readonly<Record<string, OperationHandler>>;
}

/** An endpoint, ready to serve. */
export interface Endpoint {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  readonly operations: ReadonlyMap<string, ServedOperation>;
  readonly soap: SoapBinding;
}

/**
 * @throws ContractError when description and handlers do not fit each other
 */
export async function openEndpoint(
  { description, handlers }: EndpointDefinition,
  namespace: string,
  reader: EnvelopeReader,
): Promise<Endpoint> {
  const document = withNamespace(description, namespace);
  const contract = readContract(document);
  for (const name of Object.keys(handlers)) {
    if (!contract.operations.some((operation) => operation.name === name)) {
      throw new ContractError(`The service description ${contract.name} lacks the operation ${name}.`);
    }
  }
  const service = await openSoapService(document, contract, handlers);
  const operations = new Map(
    contract.operations.map((operation) => [operation.name, serve(operation, namespace, service, handlers)]),
  );
  return {
    contract,
    description: new ServiceDescription(document),
    operations,
    soap: new SoapBinding(reader, service, operations),
  };
}

function serve(
  contract: OperationContract,
  namespace: string,
  service: SoapService,
  handlers: Readonly<Record<string, OperationHandler>>,
): ServedOperation {
  const handler = handlers[contract.name];
  const soap11 = service.soap11.methods.get(contract.name);
  const soap12 = service.soap12.methods.get(contract.name);
  if (handler === undefined || soap11 === undefined || soap12 === undefined) {
    throw new ContractError(`The operation ${contract.name} has no handler.`);
  }
  const writeForm = formResultWriter(contract, namespace);
  return {
    contract,
    invoke: { soap11, soap12, get: handler, post: handler },
    writeResult: {
      soap11: soapResultWriter(SOAP11, contract, namespace),
      soap12: soapResultWriter(SOAP12, contract, namespace),
      get: writeForm,
      post: writeForm,
    },
  };
}
