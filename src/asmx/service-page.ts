import { CACHE_ANSWER, type Answer } from './answer';
import { markup, page } from './page';
import type { OperationContract, ServiceContract } from './service-contract';
import { DOCUMENT_NAMESPACE } from './service-description';

/** The page of an endpoint: its operations and where its description is. */
export function servicePage(service: ServiceContract, path: string): Answer {
  const operations = service.operations
    .map(
      ({ name }) =>
        `<li><a href="${markup(`${path}?op=${encodeURIComponent(name)}`)}">${markup(name)}</a></li>`,
    )
    .join('');
  const notice =
    service.namespace === DOCUMENT_NAMESPACE
      ? `<p>This web service is using ${markup(DOCUMENT_NAMESPACE)} as its default namespace.</p>`
      : '';
  return page(
    200,
    CACHE_ANSWER,
    `${service.name} Web Service`,
    `<h1>${markup(service.name)}</h1><p>The following operations are supported. For a formal definition, ` +
      `please review the <a href="${markup(path)}?WSDL">Service Description</a>.</p><ul>${operations}</ul>${notice}`,
  );
}

/** The page of an operation; an unknown one is told in ASP.NET's words. */
export function operationPage(service: ServiceContract, path: string, name: string): Answer {
  const operation = service.operations.find((candidate) => candidate.name === name);
  const content =
    operation === undefined
      ? `<p>Method '${markup(name)}' was not found in service ${markup(service.name)}.</p>`
      : operationContent(operation);
  return page(
    200,
    CACHE_ANSWER,
    `${service.name} Web Service`,
    `<h1>${markup(service.name)}</h1><p><a href="${markup(path)}">All operations</a></p>${content}`,
  );
}

function operationContent({ name, parameters }: OperationContract): string {
  const rows = parameters
    .map((parameter) => `<li>${markup(parameter.name)}: ${parameter.type}</li>`)
    .join('');
  return `<h2>${markup(name)}</h2><ul>${rows}</ul>`;
}

/** The page at the root: the endpoints. */
export function indexPage(services: readonly ServiceContract[]): Answer {
  const items = services
    .map(({ path, name }) => `<li><a href="${markup(path)}">${markup(name)}</a></li>`)
    .join('');
  return page(200, CACHE_ANSWER, 'Web services', `<h1>Web services</h1><ul>${items}</ul>`);
}
