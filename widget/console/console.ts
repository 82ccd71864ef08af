/** Entry of the console: brings its elements; the page names the first of them. */
import './app.ts';
