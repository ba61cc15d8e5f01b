/** The id of a trace, by which the log and the traces are found from each other. */
export function traceIdOf({ traceparent }: { readonly traceparent: string }): string {
  return traceparent.slice(3, 35);
}
