/** What data says to become code where it is shown. */
export const hostile = [
  "<script>alert(1)</script>",
  "\"><img src=x onerror=alert(1)>",
  "' onmouseover='alert(1)",
  "` onload=alert(1) x=`",
  "x onerror=alert(1)",
  "javascript:alert(1)",
  " java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "</title><svg/onload=alert(1)>",
  "--><script>alert(1)</script>",
  "]]><script>",
  "red;background:url(javascript:alert(1))",
  "expression(alert(1))",
  "&#106;avascript:alert(1)",
  "\\u003cscript\\u003e",
  "**b** [l](javascript:alert(1)) ![i](javascript:alert(1)) <i>",
  "# h\n\n- a\n\n> q\n\n```\nc\n```",
  "{{messageId}} {{{v}}}",
  "\u0000\u0008\ufeff<b>"
] as const
