export interface Greeting {
  readonly services: readonly { readonly name: string; readonly path: string }[];
  /** Where callers reach the service, without a slash at the end. */
  readonly address: string;
  /** Lines to try, ready for a shell, each with its title. */
  readonly examples: readonly { readonly title: string; readonly command: string }[];
  /** Where the operator reaches the metrics, or undefined. */
  readonly adminAddress: string | undefined;
}

/** What a person who has started the service in a terminal wants to know: where it is, and how to try it. */
export function greeting({ services, address, examples, adminAddress }: Greeting): string {
  const width = Math.max(...services.map(({ name }) => name.length));
  return [
    `The service listens on ${address}`,
    ...services.map(({ name, path }) => `  ${name.padEnd(width)}  ${address}${path}`),
    ...(services.length === 0
      ? ['It delivers messages, and answers no operations (ROLE=worker).']
      : tries(examples)),
    adminAddress === undefined
      ? 'The operator’s pages are off.'
      : `Metrics for the operator: ${adminAddress}/metrics`,
    'Stop it with Ctrl-C.',
  ].join('\n');
}

function tries(examples: Greeting['examples']): readonly string[] {
  const width = Math.max(...examples.map(({ title }) => title.length));
  return [
    'Try it, binding by binding:',
    ...examples.map(({ title, command }) => `  ${title.padEnd(width)}  ${command}`),
  ];
}
