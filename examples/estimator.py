"""A table as it comes, with gaps and text, and for each of its rows what is noise and what is ignorance."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import endd


def main(progress: str = "auto") -> dict[str, float]:
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    X["sex"] = X["sex"].map({1.0: "women", 2.0: "men"})
    X.loc[::10, "bp"] = np.nan  # some were not measured
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)

    model = endd.DistilledRegressor(random_state=0, verbose=progress != "none")
    model.fit(X_train, y_train)

    lower, upper = model.predict_quantiles(X_test, quantiles=(0.025, 0.975)).T
    elderly = X_test.assign(age=120.0)  # nobody in the table is near that age
    table = {
        "R2": model.score(X_test, y_test),
        "coverage of 95 %": float(np.mean((lower < y_test) & (y_test < upper))),
        "noise (deviation)": float(np.sqrt(model.predict_uncertainty(X_test).aleatoric.mean())),
        "ignorance (deviation)": float(np.sqrt(model.predict_uncertainty(X_test).epistemic.mean())),
        "ignorance at the age of 120": float(np.sqrt(model.predict_uncertainty(elderly).epistemic.mean())),
    }
    least_known = pd.Series(model.predict_uncertainty(X_test).epistemic, X_test.index).nlargest(3)
    if progress != "none":
        print(X_test.loc[least_known.index].round(1))
    return table


if __name__ == "__main__":
    for name, value in main().items():
        print(f"{name:28s}{value:8.2f}")
