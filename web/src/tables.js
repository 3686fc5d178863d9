// Time by layer, operation, call and kernel; a table that sorts by any column.
import { percent, quantity, time } from "./format.js";

const MOST_ROWS = 400;
const COLUMNS = [
  { id: "name", title: "name", text: (row) => row.text },
  { id: "time", title: "time", text: (row) => time(row.time) },
  { id: "share", title: "of the run", text: (row) => percent(row.share) },
  { id: "count", title: "commands", text: (row) => `${row.count}` },
  { id: "bytes", title: "global memory", text: (row) => (row.bytes ? quantity(row.bytes, "B") : "") },
  { id: "macs", title: "products", text: (row) => (row.macs ? quantity(row.macs, "MAC") : "") },
  { id: "rate", title: "of peak", text: (row) => (row.macs ? percent(row.rate) : "") },
];
const TABS = [["layer", "Layers"], ["op", "Operations"], ["call", "Calls"], ["kernel", "Kernels"], ["reason", "What bounds"], ["line", "Source lines"]];

export class Tables {
  constructor(root, profile, choose) {
    Object.assign(this, { root, profile, choose, sort: "time", down: true });
    this.tabs = TABS.filter(([column]) => profile.columns[column].some((name) => name !== 0));
    this.column = this.tabs[0][0];
    root.innerHTML = `<div class="bar"><h2>Where the time goes</h2><div role="tablist" class="bar" style="margin:0"></div></div><div class="scroll"><table><thead></thead><tbody></tbody></table></div><p class="quiet"></p>`;
    root.querySelector("[role=tablist]").append(...this.tabs.map(([column, title]) => this.tab(column, title)));
    this.show(this.column);
  }

  tab(column, title) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: title });
    button.role = "tab";
    button.dataset.column = column;
    button.addEventListener("click", () => this.show(column));
    return button;
  }

  show(column) {
    this.column = column;
    const { profile } = this;
    const rows = profile.totals(column);
    for (const row of rows) {
      row.text = profile.names[row.name] || "(none)";
      row.share = row.time / profile.total;
      row.rate = row.compute > 0 ? ((row.macs / row.compute) * 1e9) / profile.chip.peakMacs : 0;
    }
    this.rows = rows;
    for (const tab of this.root.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", String(tab.dataset.column === column));
    this.draw();
  }

  draw() {
    const head = document.createElement("tr");
    for (const column of COLUMNS) {
      const cell = document.createElement("th"), button = document.createElement("button");
      Object.assign(button, { type: "button", textContent: column.title });
      cell.scope = "col";
      if (column.id === this.sort) cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      button.addEventListener("click", () => {
        this.down = this.sort === column.id ? !this.down : column.id !== "name";
        this.sort = column.id;
        this.draw();
      });
      cell.append(button);
      head.append(cell);
    }
    this.root.querySelector("thead").replaceChildren(head);
    const key = this.sort === "name" ? (row) => row.text : (row) => row[this.sort];
    const sign = this.down ? -1 : 1;
    const sorted = [...this.rows].sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0));
    this.root.querySelector("tbody").replaceChildren(...sorted.slice(0, MOST_ROWS).map((row) => this.line(row)));
    const left = sorted.length - MOST_ROWS;
    this.root.querySelector("p").textContent = left > 0 ? `and ${left} more; search shows them` : "";
  }

  line(row) {
    const line = document.createElement("tr");
    for (const column of COLUMNS) {
      const cell = line.insertCell();
      cell.textContent = column.text(row);
      if (column.id === "share") {
        cell.className = "share";
        cell.style.setProperty("--share", row.share);
      }
      if (column.id === "name" && row.name !== 0) {
        const button = document.createElement("button");
        Object.assign(button, { type: "button", textContent: row.text, title: row.text });
        button.addEventListener("click", () => this.choose(row.text));
        cell.replaceChildren(button);
      }
    }
    return line;
  }
}
