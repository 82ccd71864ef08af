/** Returns code to embed the element with the chosen languages: markup for the page, and a token endpoint. */
export function embedSnippets({
  address,
  sourceLanguage,
  targetLanguages,
  speech,
}: {
  /** Of the server, without a slash at its end. */
  address: string;
  sourceLanguage: string;
  targetLanguages: string;
  /** Language of translated speech; empty for none. */
  speech: string;
}): { page: string; server: string } {
  const aloud = speech === '' ? '' : ` speech="${speech}"`;
  return {
    page: `<script type="module" src="${address}/voice-captions.js"></script>
<voice-captions token-endpoint="/captions-token"
  source-language="${sourceLanguage}" target-languages="${targetLanguages}"${aloud}></voice-captions>`,
    server: `// Behind your own sign-in; the key stays on the server.
const gateway = '${address}/v3/voice/realtime';
const headers = { Authorization: \`Service-Auth-Key \${KEY}\`, 'Content-Type': 'application/json' };

app.post('/captions-token', express.json(), async (request, response) => {
  const { token, last_sequence } = request.body;
  const answer =
    token === undefined
      ? await fetch(gateway, { method: 'POST', headers, body: JSON.stringify(request.body) })
      : await fetch(\`\${gateway}?\${new URLSearchParams({ token, last_sequence })}\`, { headers });
  response.status(answer.status).json(await answer.json());
});`,
  };
}
