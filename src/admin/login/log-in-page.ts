import { html, ICON, NOTHING } from '../../asmx';

/** What a log-in page says beside its form. */
export interface LogInView {
  /** Where the visitor wanted to go: a path of this server. */
  readonly to: string;
  /** Why they are not logged in yet; undefined for nothing. */
  readonly problem?: string | undefined;
}

/** Everything comes from this server, and nothing runs. */
export const LOG_IN_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function logInPage({ to, problem }: LogInView): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in – Console</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/console.css">
</head>
<body>
<main>
<h1>Log in</h1>
${problem === undefined ? NOTHING : html`<p role="alert">${problem}</p>\n`}<form method="post" action="/login">
<input type="hidden" name="to" value="${to}">
<p><label for="name">Name</label><br><input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></p>
<p><label for="password">Password</label><br><input id="password" name="password" type="password" autocomplete="current-password" required></p>
<p><button>Log in</button></p>
</form>
</main>
</body>
</html>
`.text;
}
