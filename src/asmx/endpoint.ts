import type { WSDL } from 'soap';
import {
  type ClosableBinding,
  ContractError,
  loadDescription,
  type OperationContract,
  type OperationHandler,
  readContract,
  type ServiceContract,
  ServiceDescription,
  withNamespace,
  withoutBindings,
} from './contract';
import {
  type CharReading,
  EnvelopeReader,
  openSoapService,
  SOAP11,
  SOAP12,
  SoapBinding,
  soapResultWriter,
} from './soap';
import { formResultWriter } from './form';
import type { ServedOperation } from './results';
import type { XmlLimits } from './xml';

/** One service description and the handlers of its operations. */
export interface EndpointDefinition {
  /** Text of the WSDL document; its addresses give the endpoint's path. */
  readonly description: string;
  /** Handlers by operation name: exactly the operations of the description. */
  readonly handlers: Readonly<Record<string, OperationHandler>>;
  /** Bindings for HTTP that operations are not offered in although the description has them, by operation. */
  readonly closed?: Readonly<Record<string, readonly ClosableBinding[]>>;
}

/** An endpoint, ready to serve. */
export interface Endpoint {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  readonly operations: ReadonlyMap<string, ServedOperation>;
  readonly soap: SoapBinding;
}

/** How an installation reads and answers, whichever the endpoint. */
export interface EndpointOptions {
  /** Namespace to serve a description in; undefined for its own. */
  readonly namespace: string | undefined;
  readonly limits: XmlLimits;
  readonly charReading: CharReading;
}

/**
 * @throws ContractError when description and handlers do not fit each other
 */
export async function openEndpoint(
  { description, handlers, closed = {} }: EndpointDefinition,
  { namespace, limits, charReading }: EndpointOptions,
): Promise<Endpoint> {
  const { document, wsdl, contract } = await openDescription(withoutBindings(description, closed), namespace);
  for (const name of Object.keys(handlers)) {
    if (!contract.operations.some((operation) => operation.name === name)) {
      throw new ContractError(`The service description ${contract.name} lacks the operation ${name}.`);
    }
  }
  const service = openSoapService(wsdl, contract, handlers);
  const operations = new Map(
    service.operations.map(({ contract: operation, invoke }) => [
      operation.name,
      { contract: operation, invoke, writeResult: resultWriters(operation, contract.namespace) },
    ]),
  );
  const reader = new EnvelopeReader(contract.namespace, limits, charReading);
  return {
    contract,
    description: new ServiceDescription(document),
    operations,
    soap: new SoapBinding(reader, service, operations),
  };
}

interface OpenDescription {
  readonly document: string;
  readonly wsdl: WSDL;
  readonly contract: ServiceContract;
}

async function openDescription(document: string, namespace: string | undefined): Promise<OpenDescription> {
  const wsdl = await loadDescription(document);
  const contract = readContract(wsdl);
  if (namespace === undefined || namespace === contract.namespace) return { document, wsdl, contract };
  return openDescription(withNamespace(document, contract.namespace, namespace), undefined);
}

function resultWriters(operation: OperationContract, namespace: string): ServedOperation['writeResult'] {
  const writeForm = formResultWriter(operation, namespace);
  return {
    soap11: soapResultWriter(SOAP11, operation, namespace),
    soap12: soapResultWriter(SOAP12, operation, namespace),
    get: writeForm,
    post: writeForm,
  };
}
