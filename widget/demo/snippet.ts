/** What a page needs to carry the element, with the languages chosen here, and what its server needs. */
export function embedSnippets({
  origin,
  sourceLanguage,
  targetLanguages,
  speech,
}: {
  origin: string;
  sourceLanguage: string;
  targetLanguages: string;
  /** Language that is spoken aloud; empty for none. */
  speech: string;
}): { page: string; server: string } {
  const aloud = speech === '' ? '' : ` speech="${speech}"`;
  return {
    page: `<script type="module" src="${origin}/voice-captions.js"></script>
<voice-captions token-endpoint="/captions-token"
  source-language="${sourceLanguage}" target-languages="${targetLanguages}"${aloud}></voice-captions>`,
    server: `// Behind your own sign-in; the key stays on the server.
app.post('/captions-token', express.json(), async (request, response) => {
  const headers = { authorization: 'Service-Auth-Key ' + key, 'content-type': 'application/json' };
  const body = JSON.stringify(request.body);
  const answer = await fetch('${origin}/v3/voice/realtime', { method: 'POST', headers, body });
  response.status(answer.status).json(await answer.json());
});`,
  };
}
