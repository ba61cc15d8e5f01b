/** The text for what has no text of its own, or none that a caller may see. */
export const GENERIC_MESSAGE = 'An error occurred on the server.';

// A chain of causes may be a circle.
const LONGEST_CHAIN = 16;

/** The messages of a thrown value and of its causes, outermost first, as ASP.NET shows them. */
export function errorMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let link: unknown = error;
  while (link instanceof Error && messages.length < LONGEST_CHAIN) {
    messages.push(link.message);
    link = link.cause;
  }
  return messages.length > 0 ? messages : [GENERIC_MESSAGE];
}
