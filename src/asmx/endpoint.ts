import type { WSDL } from 'soap';
import {
  type Binding,
  type ClosableBinding,
  ContractError,
  loadDescription,
  type OperationContract,
  type OperationHandlers,
  readContract,
  type ServiceContract,
  ServiceDescription,
  withNamespace,
  withoutBindings,
} from './contract';
import { EnvelopeReader, openSoapService, SOAP11, SOAP12, SoapBinding, soapResultWriter } from './soap';
import { formResultWriter } from './form';
import type { FormParameter, ServedOperation } from './results';
import { compileFormReading, type ReadingRules } from './types';
import type { XmlLimits } from './xml';
import { checkHelp, type ServiceHelp } from './documents';

/** One service description and the handlers of its operations. */
export interface EndpointDefinition {
  /** Text of the WSDL document; its addresses give the endpoint's path. */
  readonly description: string;
  /** Handlers by operation name: exactly the operations of the description. */
  readonly handlers: OperationHandlers;
  /** Bindings for HTTP that operations are not offered in although the description has them, by operation. */
  readonly closed?: Readonly<Record<string, readonly ClosableBinding[]>>;
  /** What the pages say of the operations and their parameters, all of them; default: what the description tells. */
  readonly help?: ServiceHelp | undefined;
  /** The .NET namespace of the service's own types, which messages show; none when left out. */
  readonly dotNetNamespace?: string;
}

/** An endpoint, ready to serve. */
export interface Endpoint {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  readonly help: ServiceHelp | undefined;
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** Those in which it offers any operation. */
  readonly bindings: ReadonlySet<Binding>;
  readonly soap: SoapBinding;
}

/** How an installation reads and answers, whichever the endpoint. */
export interface EndpointOptions {
  /** Namespace to serve a description in; undefined for its own. */
  readonly namespace: string | undefined;
  readonly limits: XmlLimits;
  readonly rules: ReadingRules;
}

/**
 * @throws ContractError when description, handlers and help do not fit each other
 */
export async function openEndpoint(
  { description, handlers, closed = {}, help, dotNetNamespace }: EndpointDefinition,
  { namespace, limits, rules }: EndpointOptions,
): Promise<Endpoint> {
  const { document, wsdl, contract } = await openDescription(withoutBindings(description, closed), namespace);
  for (const name of Object.keys(handlers)) {
    if (!contract.operations.some((operation) => operation.name === name)) {
      throw new ContractError(`The service description ${contract.name} lacks the operation ${name}.`);
    }
  }
  if (help !== undefined) checkHelp(contract, help);
  const service = openSoapService(wsdl, contract, handlers);
  const operations = new Map(
    service.operations.map(({ contract: operation, invoke }) => [
      operation.name,
      {
        contract: operation,
        formParameters: formParameters(contract, operation, rules, dotNetNamespace),
        invoke,
        writeResult: resultWriters(operation, contract.namespace, dotNetNamespace),
      },
    ]),
  );
  const reader = new EnvelopeReader(contract.namespace, limits, rules, contract.operations);
  return {
    contract,
    description: new ServiceDescription(document),
    help,
    operations,
    bindings: new Set(contract.operations.flatMap(({ bindings }) => [...bindings])),
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

function formParameters(
  { name: service }: ServiceContract,
  { name: operation, parameters, bindings }: OperationContract,
  rules: ReadingRules,
  dotNetNamespace: string | undefined,
): readonly FormParameter[] {
  if (!bindings.has('get') && !bindings.has('post')) return [];
  return parameters.map(({ name, type }) => {
    const reading = compileFormReading(type, rules, dotNetNamespace);
    if (reading !== undefined) return { name, key: name.toLowerCase(), ...reading };
    throw new ContractError(
      `The service description ${service} cannot be served: the parameter ${name} of ${operation} is of type ${type.name}, which cannot come over HTTP GET and POST.`,
    );
  });
}

function resultWriters(
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): ServedOperation['writeResult'] {
  const writeForm = formResultWriter(operation, namespace, dotNetNamespace);
  return {
    soap11: soapResultWriter(SOAP11, operation, namespace, dotNetNamespace),
    soap12: soapResultWriter(SOAP12, operation, namespace, dotNetNamespace),
    get: writeForm,
    post: writeForm,
  };
}
