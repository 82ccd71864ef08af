/** The bundled worklet as text, for pages whose script was loaded from another origin. */
declare module '*?bundled-source' {
  const source: string;
  export default source;
}
