/** Text for an error without a message, or one whose message callers must not see. */
const GENERIC_MESSAGE = 'An error occurred on the server.';

// Causes may be circular.
const MAX_CAUSES = 16;

/** Returns the messages of a thrown value and of its causes, outermost first, as ASP.NET shows them. */
export function errorMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let link: unknown = error;
  while (link instanceof Error && messages.length < MAX_CAUSES) {
    messages.push(link.message);
    link = link.cause;
  }
  return messages.length > 0 ? messages : [GENERIC_MESSAGE];
}
