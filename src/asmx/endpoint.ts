import { readContract } from './contract/contract-reader';
import type { EnvelopeReader } from './soap/envelope-reader';
import { formResultWriter } from './form/form-result';
import type { OperationHandler } from './contract/operation';
import { ContractError, type OperationContract, type ServiceContract } from './contract/service-contract';
import { ServiceDescription, withNamespace } from './contract/service-description';
import type { ServedOperation } from './results/served-operation';
import { SoapBinding } from './soap/soap-binding';
import { soapResultWriter } from './soap/soap-result';
import { openSoapService, type SoapService } from './soap/soap-service';
import { SOAP11, SOAP12 } from './soap/soap-version';

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
