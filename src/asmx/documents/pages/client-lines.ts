import type { OperationContract } from '../../contract/operation';
import type { PlainName } from '../../contract/values';
import type { ExampleValues } from '../help';
import { html, type Html } from '../../../support/html';
import { codeBlock } from './page';
import { anyValue } from './sample-values';
import { anyShellWord } from './commands';

/** Code that calls an operation on one platform. */
interface ClientLines {
  /** Identifies the platform to pages that need a special word for it. */
  readonly id: string;
  readonly platform: string;
  /** Command that generates a proxy; undefined for platforms that read the description at run time. */
  readonly proxy?: string;
  readonly language: string;
  /**
   * One line that calls the operation and shows its result, if any. Undefined if some parameter needs more
   * than one line.
   */
  readonly call?: string;
}

/** The operation to call, with its service and address. */
interface CalledOperation {
  readonly service: string;
  readonly url: string;
  readonly operation: OperationContract;
  readonly examples: ExampleValues;
}

interface Platform extends Pick<ClientLines, 'id' | 'platform' | 'language'> {
  readonly proxy?: (target: CalledOperation) => string;
  readonly call: (target: CalledOperation) => string;
}

const PLATFORMS: readonly Platform[] = [
  {
    id: 'dotnet',
    platform: '.NET',
    language: 'C#',
    proxy: (target) =>
      `dotnet-svcutil ${description(target)} --namespace ${anyShellWord(`*,${target.service}`)}`,
    call: (target) => {
      const client = `${target.service}.${target.service}SoapClient`;
      const opened = `new ${client}(${client}.EndpointConfiguration.${target.service}Soap)`;
      return assigned(target, `await ${opened}.${target.operation.name}Async(${inOrder(target, cLike)})`);
    },
  },
  {
    id: 'dotnet-framework',
    platform: '.NET Framework',
    language: 'C#',
    proxy: (target) => `wsdl /language:CS /namespace:${target.service} ${description(target)}`,
    call: (target) =>
      assigned(
        target,
        `new ${target.service}.${target.service}().${target.operation.name}(${inOrder(target, cLike)})`,
      ),
  },
  {
    id: 'wsimport',
    platform: 'Java (wsimport)',
    language: 'Java',
    proxy: (target) => `wsimport -keep -p ${target.service.toLowerCase()} ${description(target)}`,
    call: callInJava,
  },
  {
    id: 'cxf',
    platform: 'Java (Apache CXF)',
    language: 'Java',
    proxy: (target) => `wsdl2java -p ${target.service.toLowerCase()} ${description(target)}`,
    call: callInJava,
  },
  {
    id: 'php',
    platform: 'PHP',
    language: 'PHP with its soap extension',
    call: (target) => {
      const values = byName(target, phpValue, (name, value) => `${quotedForPhp(name)} => ${value}`);
      const client = `$client = new SoapClient(${quotedForPhp(descriptionUrl(target))});`;
      return `php -r ${anyShellWord(`${client} print_r($client->${target.operation.name}([${values}]));`)}`;
    },
  },
  {
    id: 'python',
    platform: 'Python',
    language: 'Python with zeep',
    call: (target) => {
      const values = byName(target, pythonValue, (name, value) => `${name}=${value}`);
      const client = `Client(${JSON.stringify(descriptionUrl(target))})`;
      const script = `from zeep import Client; print(${client}.service.${target.operation.name}(${values}))`;
      return `python3 -c ${anyShellWord(script)}`;
    },
  },
  {
    id: 'node',
    platform: 'Node.js',
    language: 'JavaScript with the package soap',
    call: (target) => {
      const values = byName(target, scriptValue, (name, value) => `${name}: ${value}`);
      const script =
        `require("soap").createClientAsync(${JSON.stringify(descriptionUrl(target))})` +
        `.then((client) => client.${target.operation.name}Async({ ${values} }))` +
        '.then(([result]) => console.log(result))';
      return `node -e ${anyShellWord(script)}`;
    },
  },
  {
    id: 'powershell',
    platform: 'PowerShell',
    language: 'PowerShell',
    proxy: (target) => `$service = New-WebServiceProxy -Uri ${quotedForPowerShell(descriptionUrl(target))}`,
    call: (target) => {
      if (!target.operation.bindings.has('post'))
        return `$service.${target.operation.name}(${inOrder(target, powerShellValue)})`;
      const values = target.operation.parameters.map(
        (parameter) => `${parameter.name} = ${quotedForPowerShell(exampleFor(target, parameter))}`,
      );
      const url = quotedForPowerShell(`${target.url}/${target.operation.name}`);
      return `Invoke-RestMethod ${url} -Method Post -Body @{ ${values.join('; ')} }`;
    },
  },
];

/**
 * Writes one or two lines for each platform that call an operation from a program.
 *
 * @param url address of the endpoint
 */
export function clientLines(
  service: string,
  operation: OperationContract,
  url: string,
  examples: ExampleValues,
): readonly ClientLines[] {
  const target = { service, url, operation, examples };
  return PLATFORMS.map(({ id, platform, language, proxy, call }) => ({
    id,
    platform,
    language,
    ...(proxy === undefined ? {} : { proxy: proxy(target) }),
    ...(operation.parameters.every(isLiteral) ? { call: call(target) } : {}),
  }));
}

/** Types whose numbers every platform takes as written. */
const NUMBERS: ReadonlySet<string> = new Set<PlainName>(['int', 'long', 'double']);
const LITERALS: ReadonlySet<string> = new Set([...NUMBERS, 'string', 'char', 'boolean']);

function isLiteral({ type, nillable }: Parameter): boolean {
  return LITERALS.has(type.name) && (type.name === 'string' || !nillable);
}

/** Returns a number or a truth value as a literal; undefined for texts and characters. */
function bareValue(text: string, { name }: ParameterType): string | undefined {
  return NUMBERS.has(name) || name === 'boolean' ? text : undefined;
}

type Parameter = OperationContract['parameters'][number];
type ParameterType = Parameter['type'];
type WriteValue = (text: string, type: ParameterType) => string;

function descriptionUrl({ url }: CalledOperation): string {
  return `${url}?wsdl`;
}

function description(target: CalledOperation): string {
  return anyShellWord(descriptionUrl(target));
}

function exampleFor({ examples }: CalledOperation, { name, type }: Parameter): string {
  return examples[name] ?? anyValue(type.name);
}

function inOrder(target: CalledOperation, value: WriteValue): string {
  const values = target.operation.parameters.map((parameter) =>
    value(exampleFor(target, parameter), parameter.type),
  );
  return values.join(', ');
}

function byName(
  target: CalledOperation,
  value: WriteValue,
  write: (name: string, value: string) => string,
): string {
  const pairs = target.operation.parameters.map((parameter) =>
    write(parameter.name, value(exampleFor(target, parameter), parameter.type)),
  );
  return pairs.join(', ');
}

function callInJava(target: CalledOperation): string {
  const { service, operation } = target;
  const method = operation.name.charAt(0).toLowerCase() + operation.name.slice(1);
  const port = `new ${service.toLowerCase()}.${service}().get${service}Soap()`;
  return assigned(target, `${port}.${method}(${inOrder(target, cLike)})`);
}

/** Returns a C# or Java statement. */
function assigned({ operation }: CalledOperation, call: string): string {
  return operation.result === undefined ? `${call};` : `var result = ${call};`;
}

/** Returns a C# or Java literal; a character is its number there. */
function cLike(text: string, type: ParameterType): string {
  if (type.name === 'char') return `'${text.replace(/['\\]/, '\\$&')}'`;
  return bareValue(text, type) ?? JSON.stringify(text);
}

// Other platforms send a character as its number over SOAP.

function phpValue(text: string, type: ParameterType): string {
  return type.name === 'char' ? `ord(${quotedForPhp(text)})` : (bareValue(text, type) ?? quotedForPhp(text));
}

function pythonValue(text: string, type: ParameterType): string {
  if (type.name === 'char') return `ord(${JSON.stringify(text)})`;
  if (type.name === 'boolean') return text === 'true' ? 'True' : 'False';
  return bareValue(text, type) ?? JSON.stringify(text);
}

function scriptValue(text: string, type: ParameterType): string {
  if (type.name === 'char') return `${JSON.stringify(text)}.charCodeAt(0)`;
  return bareValue(text, type) ?? JSON.stringify(text);
}

function powerShellValue(text: string, type: ParameterType): string {
  if (type.name === 'boolean') return `$${text}`;
  if (type.name === 'char') return `[char]${quotedForPowerShell(text)}`;
  return bareValue(text, type) ?? quotedForPowerShell(text);
}

/** Quotes a text for PHP; in double quotes a dollar sign begins a variable. */
function quotedForPhp(text: string): string {
  return JSON.stringify(text).replaceAll('$', String.raw`\$`);
}

function quotedForPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Returns the section that shows how programs call an operation, collapsed by platform.
 *
 * @param url address of the endpoint
 */
export function clientSection(
  service: string,
  operation: OperationContract,
  url: string,
  examples: ExampleValues,
): Html {
  const platforms = clientLines(service, operation, url, examples)
    .filter(({ proxy, call }) => proxy !== undefined || call !== undefined)
    .map(
      ({ id, platform, language, proxy, call }) => html`<details>
<summary>${platform}</summary>
${proxy === undefined ? '' : codeBlock(`${id}-proxy`, 'Proxy', proxy)}\
${call === undefined ? '' : codeBlock(`${id}-call`, `Call of ${operation.name}, ${language}`, call)}</details>
`,
    );
  return html`<h2 id="proxy">Call it from a program</h2>
<div class="card">
${platforms}</div>
`;
}
