// Creates the page: one element and its state.
import { App } from "./app.js";
import { State } from "./state.js";

customElements.define("ff-app", App);
const app = document.createElement("ff-app") as App;
app.state = new State(
  new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module", name: "fleetfold" }),
);
document.body.append(app);
