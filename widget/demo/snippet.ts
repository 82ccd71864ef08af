/** What a page and its server need to carry the element, with the languages chosen on this page. */
export function embedSnippet({
  origin,
  sourceLanguage,
  targetLanguages,
}: {
  origin: string;
  sourceLanguage: string;
  targetLanguages: string;
}): string {
  return `<script type="module" src="${origin}/voice-captions.js"></script>
<voice-captions token-endpoint="/captions-token"
  source-language="${sourceLanguage}" target-languages="${targetLanguages}"></voice-captions>

// On your server, behind your own sign-in; the key stays there.
app.post('/captions-token', express.json(), async (request, response) => {
  const headers = { authorization: 'Service-Auth-Key ' + key, 'content-type': 'application/json' };
  const body = JSON.stringify(request.body);
  const answer = await fetch('${origin}/v3/voice/realtime', { method: 'POST', headers, body });
  response.status(answer.status).json(await answer.json());
});`;
}
